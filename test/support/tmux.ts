import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { root, type Scene } from "./cox.ts";

/** A person's terminal: a shell in tmux, which is typed at, looked at, and closed from outside. */
export class Tmux {
  readonly #socket: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(made: Scene, env: NodeJS.ProcessEnv = {}) {
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
      "120",
      "-y",
      "40",
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

  /** The window is closed under whatever runs in it. */
  close(): void {
    this.#tmux("kill-session", "-t", "a");
  }

  #tmux(...args: string[]): string {
    return execFileSync("tmux", ["-S", this.#socket, "-f", "/dev/null", ...args], { encoding: "utf8", env: this.#env });
  }
}
