import { PassThrough } from "node:stream";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Context } from "../../../lib/command/command.ts";

/** For tests: a command's surroundings, with what it wrote and what was typed. */
export interface TestContext extends Context {
  out(): string;
  err(): string;
  type: (keys: string) => void;
  raw: boolean | undefined;
  clock: TestClock;
}

export function testContext(
  options: {
    env?: NodeJS.ProcessEnv;
    cwd?: string;
    tty?: boolean | { columns: number; rows: number };
    onWrite?: (text: string) => void;
    stdin?: string;
    clock?: Clock;
  } = {},
): TestContext {
  const { tty = false } = options;
  const size = typeof tty === "object" ? tty : { columns: tty ? 80 : undefined, rows: tty ? 24 : undefined };
  const written = { out: "", err: "" };
  const sink = (name: "out" | "err") => {
    const stream = new PassThrough();
    stream.on("data", (chunk) => {
      written[name] += String(chunk);
    });
    const write = stream.write.bind(stream);
    stream.write = ((text: string | Uint8Array, ...rest: never[]) => {
      if (name === "out") options.onWrite?.(String(text));
      return write(text, ...rest);
    }) as typeof stream.write;
    return Object.assign(stream, { isTTY: tty !== false, ...size });
  };
  const stdin = Object.assign(new PassThrough(), {
    isTTY: tty !== false,
    setRawMode(on: boolean) {
      context.raw = on;
      return stdin;
    },
  });
  if (options.stdin !== undefined) stdin.end(options.stdin);
  const context: TestContext = {
    env: { TERM: "xterm", ...options.env },
    cwd: options.cwd ?? "/",
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: sink("out") as unknown as NodeJS.WriteStream,
    stderr: sink("err") as unknown as NodeJS.WriteStream,
    clock: new TestClock(),
    onOutputGone: () => {},
    out: () => written.out,
    err: () => written.err,
    type: (keys) => stdin.emit("data", keys),
    raw: undefined,
  };
  return context;
}

/** Time that moves when told to. */
export class TestClock implements Clock {
  #now = Date.parse("2026-08-01T12:00:00Z");
  #timers: { at: number; call: () => void }[] = [];

  now = () => this.#now;
  monotonic = () => this.#now;

  after(ms: number, call: () => void): () => void {
    const timer = { at: this.#now + ms, call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Doesn't wait: loops that poll go on at once. */
  async sleep(ms: number): Promise<void> {
    this.pass(ms);
    await new Promise((resolve) => setImmediate(resolve));
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== due);
      this.#now = due.at;
      due.call();
    }
    this.#now = end;
  }
}
