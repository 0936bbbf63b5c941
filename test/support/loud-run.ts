import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";

/** A live run whose host is a small program that writes events, as many as it is told. */
export interface LoudRun {
  id: string;
  eventsPath: string;
  /** How many events are in its log, as far as it has told. */
  written(): number;
  shout(wishes: { perSecond: number; bytes: number; events?: number }): void;
  /** Resolves when it has stopped writing and told how much it wrote. */
  quiet(): Promise<void>;
  end(): Promise<void>;
}

export async function loudRun(home: string, task = "loud"): Promise<LoudRun> {
  const child = fork(join(import.meta.dirname, "../fakes/loud-host.mjs"), [home, task], { stdio: "inherit" });
  const first = await message<{ id: string; eventsPath: string }>(child);
  let written = 0;
  let hush: (() => void) | undefined;
  child.on("message", (told: { written: number; quiet?: boolean }) => {
    written = told.written;
    if (told.quiet) hush?.();
  });
  return {
    ...first,
    written: () => written,
    shout: (wishes) => void child.send(wishes),
    quiet: () =>
      new Promise((resolve) => {
        hush = resolve;
        child.send("quiet");
      }),
    end: () =>
      new Promise((resolve) => {
        child.on("exit", () => resolve());
        child.send("end");
      }),
  };
}

function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve) => child.once("message", (told) => resolve(told as T)));
}
