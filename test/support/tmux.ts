import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { root, type Scene, until } from "./cox.ts";

/** A person's terminal: a shell in tmux, which is typed at, looked at, and closed from outside. */
export class Tmux {
  readonly #socket: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(made: Scene, env: NodeJS.ProcessEnv = {}, size = { columns: 120, rows: 40 }) {
    this.#socket = join(made.folder, "tmux");
    const shell = { TERM: "xterm-256color", PS1: "$ ", HISTFILE: "", PATH: `${root}/bin:${made.env.PATH}` };
    this.#env = { ...made.env, ...shell, ...env };
    onTestFinished(() => void spawnSync("tmux", ["-S", this.#socket, "kill-server"]));
    this.#tmux(
      "new-session",
      "-d",
      "-s",
      "a",
      "-x",
      String(size.columns),
      "-y",
      String(size.rows),
      "-c",
      made.workspace,
      "bash --norc --noprofile",
    );
  }

  type(text: string): void {
    this.#tmux("send-keys", "-t", "a", "-l", text);
    this.#tmux("send-keys", "-t", "a", "Enter");
  }

  /** `C-c`, `C-]`, `Enter` */
  key(name: string): void {
    this.#tmux("send-keys", "-t", "a", name);
  }

  /** Also what has scrolled away. */
  shown(): string {
    return this.#tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "a");
  }

  /** What is on the screen, row by row. */
  screen(): string {
    return this.#tmux("capture-pane", "-p", "-t", "a");
  }

  resize(columns: number, rows: number): void {
    this.#tmux("resize-window", "-t", "a", "-x", String(columns), "-y", String(rows));
  }

  /** The window is closed under whatever runs in it. */
  close(): void {
    this.#tmux("kill-session", "-t", "a");
  }

  #tmux(...args: string[]): string {
    return execFileSync("tmux", ["-S", this.#socket, "-f", "/dev/null", ...args], { encoding: "utf8", env: this.#env });
  }
}

/** Waits until it says that, on the screen or above it. */
export const shows = (terminal: Tmux, what: string | RegExp) =>
  until(() => (typeof what === "string" ? terminal.shown().includes(what) : what.test(terminal.shown())));

/** The first run's record at its end. Hosts must have gone before their home is removed. */
export const ended = (made: Scene) =>
  until(() => {
    const [run] = made.runs();
    const isOver = run?.info !== undefined && run.info.status !== "running";
    return isOver && readdirSync(join(made.home, "hosts")).length === 0 ? run.info : undefined;
  });
