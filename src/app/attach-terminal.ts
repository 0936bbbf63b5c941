import type WebSocket from "ws";
import { AppError } from "../contract/errors.ts";
import { backoffMs } from "../lib/base/backoff.ts";
import type { Context } from "../lib/command/command.ts";
import { socketText } from "../lib/http/socket-text.ts";
import { makeRaw, restoreModes, terminalModes } from "../lib/process/terminal/stty.ts";
import { nameOf, socketAddress, type Target } from "../terminal/host/client.ts";

/** A person's terminal on a hosted one: what it shows is shown, what is typed is typed. Ctrl-] leaves, Ctrl-L draws anew. */
export async function attachTerminal(target: Target, watchOnly: boolean, context: Context): Promise<number> {
  const { stdin, stdout, stderr, clock } = context;
  const keys = new Keys(watchOnly);
  const modes = stdin.isTTY ? terminalModes() : undefined;
  let isEntered = false;
  /** Only once somebody answers: before that Ctrl-C is the shell's, and what stands on the screen stays. */
  const enter = () => {
    if (isEntered) return;
    isEntered = true;
    if (modes !== undefined) makeRaw();
    stdout.write(`${OTHER_SCREEN}${CLEAR}`);
    stdin.on("data", keys.take).resume();
  };
  let end: End = "lost";
  try {
    for (let tries = 0; end === "lost" && tries <= (isEntered ? MOST_TRIES : 0); tries += 1) {
      if (tries > 0) await clock.sleep(backoffMs(tries, { base: 200, factor: 2, cap: 3000 }, Math.random));
      const view = new View(target, keys, watchOnly, context, enter);
      end = await view.shown();
      if (view.wasOpen) tries = 0;
    }
  } finally {
    if (isEntered) {
      stdout.write(LEAVE);
      stdin.off("data", keys.take).pause();
      if (modes !== undefined) restoreModes(modes);
    }
  }
  if (end === "lost") {
    const how = isEntered ? "nobody answers any more" : "nobody answers; is it running?";
    throw new AppError("host.unreachable", `terminal ${nameOf(target)}: ${how}`);
  }
  if (end === "left") {
    stderr.write(`detached; the terminal goes on: \`cox attach ${nameOf(target)}\`\n`);
    return 0;
  }
  if (end === "refused")
    throw new AppError("command.unsupported", `terminal ${nameOf(target)}: needs its token in COOP_AUTH_TOKEN`);
  stderr.write(`the program has exited with ${end.code}\n`);
  return end.code;
}

type End = "left" | "lost" | "refused" | { code: number };

const MOST_TRIES = 10;
const OTHER_SCREEN = "\x1b[?1049h";
const CLEAR = "\x1b[0m\x1b[2J\x1b[H";
/** Whatever the program has switched on must not stay on: mouse, pastes, colours, a hidden cursor. */
const LEAVE = `\x1b[0m\x1b[?25h${["1000", "1002", "1003", "1004", "1006", "2004", "1"].map((mode) => `\x1b[?${mode}l`).join("")}\x1b[<u\x1b[>4m\x1b[?1049l`;

/** What is typed, split into what the program gets and what is meant for us. */
class Keys {
  readonly #watchOnly: boolean;
  onInput: (bytes: string) => void = () => {};
  onLeave: () => void = () => {};
  onRedraw: () => void = () => {};

  constructor(watchOnly: boolean) {
    this.#watchOnly = watchOnly;
  }

  readonly take = (chunk: Buffer | string): void => {
    const text = withoutReports(Buffer.from(chunk).toString("latin1"));
    const leave = text.indexOf("\x1d");
    const typed = leave === -1 ? text : text.slice(0, leave);
    if (typed.includes("\x0c")) this.onRedraw();
    const rest = typed.replaceAll("\x0c", "");
    if (rest !== "" && !this.#watchOnly) this.onInput(rest);
    if (leave !== -1) this.onLeave();
  };
}

/** The program asked its terminal something, and the host has answered already; the person's own terminal answers, too. */
export const withoutReports = (text: string): string => text.replace(REPORTS, "");

const REPORTS = new RegExp(
  [
    "\\x1b\\[[?>=]?[\\d;]*[cRn]",
    "\\x1b\\[\\?[\\d;]*\\$y",
    "\\x1b\\[\\?\\d*u",
    "\\x1b\\]\\d+;[^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)",
    "\\x1bP[^\\x1b]*\\x1b\\\\",
  ].join("|"),
  "g",
);

/** One connection to the host. */
class View {
  wasOpen = false;
  readonly #target: Target;
  readonly #keys: Keys;
  readonly #watchOnly: boolean;
  readonly #context: Context;
  readonly #onOpen: () => void;
  #isPainted = false;

  constructor(target: Target, keys: Keys, watchOnly: boolean, context: Context, onOpen: () => void) {
    this.#target = target;
    this.#keys = keys;
    this.#watchOnly = watchOnly;
    this.#context = context;
    this.#onOpen = onOpen;
  }

  async shown(): Promise<End> {
    const { WebSocket: Socket } = await import("ws");
    const ws = new Socket(socketAddress(this.#target, { subscribe: "pty,state" }));
    const send = (message: object) => {
      if (ws.readyState === ws.OPEN) ws.send(JSON.stringify(message));
    };
    const fit = () => {
      if (!this.#watchOnly) send({ event: "resize", ...this.#size() });
    };
    const paint = () => send({ event: "screen:get", cursor: true, ansi: true });
    const resized = () => {
      fit();
      paint();
    };
    process.on("SIGWINCH", resized);
    try {
      return await new Promise<End>((resolve) => {
        this.#keys.onLeave = () => resolve("left");
        this.#keys.onRedraw = paint;
        this.#keys.onInput = (typed) =>
          send({ event: "input:send:raw", data: Buffer.from(typed, "latin1").toString("base64") });
        ws.on("open", () => {
          this.wasOpen = true;
          this.#onOpen();
          fit();
          paint();
        });
        ws.on("unexpected-response", (_, { statusCode }) => resolve(statusCode === 401 ? "refused" : "lost"));
        ws.on("error", () => resolve("lost"));
        ws.on("close", () => resolve("lost"));
        ws.on("message", (data) => this.#show(JSON.parse(socketText(data)), resolve));
      });
    } finally {
      process.off("SIGWINCH", resized);
      closeQuietly(ws);
    }
  }

  #show(message: Record<string, unknown>, end: (end: End) => void): void {
    const { stdout } = this.#context;
    switch (message.event) {
      case "pty":
      case "replay":
        // What came before the first picture is in it.
        if (this.#isPainted && typeof message.data === "string") stdout.write(Buffer.from(message.data, "base64"));
        return;
      case "screen":
        if (Array.isArray(message.ansi)) this.#paint(message.ansi, message.cursor);
        return;
      case "exit":
        return end({ code: typeof message.code === "number" ? message.code : 1 });
      case "transition":
        if (message.next === "exited") end({ code: 0 });
        return;
      case "error":
        if (message.code === "UNAUTHORIZED") end("refused");
        return;
    }
  }

  #paint(lines: readonly unknown[], cursor: unknown): void {
    const { row, col } = isPlace(cursor) ? cursor : { row: 0, col: 0 };
    this.#context.stdout.write(`${CLEAR}${lines.join("\r\n")}\x1b[${row + 1};${col + 1}H`);
    this.#isPainted = true;
  }

  #size(): { cols: number; rows: number } {
    const { columns, rows } = this.#context.stdout;
    return { cols: columns || 80, rows: rows || 24 };
  }
}

const isPlace = (value: unknown): value is { row: number; col: number } =>
  typeof value === "object" && value !== null && "row" in value && typeof value.row === "number";

function closeQuietly(ws: WebSocket): void {
  ws.removeAllListeners();
  ws.on("error", () => {});
  ws.close();
}
