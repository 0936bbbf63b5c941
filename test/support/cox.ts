import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { onTestFinished } from "vitest";
import type { RecordedEvent } from "../../src/contract/events.ts";
import { type LedgerRecord, parseRunInfo, type RunInfo } from "../../src/contract/runs/run.ts";
import { errnoOf } from "../../src/lib/files/disk-error.ts";
import { parseJournal } from "../../src/lib/files/journal-line.ts";
import { endRuns } from "./end-runs.ts";

export const root = join(import.meta.dirname, "../..");

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A home and a workspace of a test's own, gone when it ends. */
export class Scene {
  readonly folder = mkdtempSync(join(tmpdir(), "cox-test-"));
  readonly home = join(this.folder, "home");
  readonly workspace = mkdtempSync(join(this.folder, "workspace-"));
  readonly env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: this.folder,
    COX_HOME: this.home,
    DEMO_SPEED: "0",
    LANG: "C.UTF-8",
  };

  start(
    args: readonly string[],
    options: { env?: NodeJS.ProcessEnv; nodeArgs?: string[]; detached?: boolean } = {},
  ): ChildProcess {
    return spawn(process.execPath, [...(options.nodeArgs ?? []), join(root, "bin/cox"), ...args], {
      cwd: this.workspace,
      env: { ...this.env, ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: options.detached ?? false,
    });
  }

  async cox(
    args: readonly string[],
    options: { env?: NodeJS.ProcessEnv; nodeArgs?: string[]; input?: string } = {},
  ): Promise<Finished> {
    const child = this.start(args, options);
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.input ?? "");
    return finished(child);
  }

  /** Of the run that people call by this name, as `cox run -d` prints it. */
  idOf(name: string): string {
    return readFileSync(join(this.home, "handles", name.trim().slice(1)), "utf8").trim();
  }

  /** Nobody is left who would write to it: what runs is ended first. */
  async close(): Promise<void> {
    await endRuns(this.home);
    await removed(this.folder);
  }

  ledger(): LedgerRecord[] {
    return parseJournal(readFileSync(join(this.home, "runs.jsonl"))).records.map(
      ({ value }) => value as unknown as LedgerRecord,
    );
  }

  /** Every run directory there is, whether the ledger knows it or not, in the order of their beginning, which their ids say. */
  runs(): { dir: string; info: RunInfo | undefined; events: RecordedEvent[]; damaged: number }[] {
    return readdirSync(join(this.home, "projects"), { recursive: true, encoding: "utf8" })
      .filter((name) => /\/runs\/[^/]+$/.test(name))
      .sort((one, other) => (basename(one) < basename(other) ? -1 : 1))
      .map((name) => this.run(join(this.home, "projects", name)));
  }

  run(dir: string) {
    const journal = readJournal(join(dir, "events.jsonl"));
    return {
      dir,
      info: parseRunInfo(readOr(join(dir, "run-info.yaml"), "")),
      events: journal.records.map(({ value }) => value as unknown as RecordedEvent),
      damaged: journal.damaged,
    };
  }
}

/** Concurrent tests hand in their own `onTestFinished`. */
export function scene(finished: typeof onTestFinished = onTestFinished): Scene {
  const made = new Scene();
  finished(() => made.close());
  return made;
}

export function finished(child: ChildProcess): Promise<Finished> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => {
    stdout += String(chunk);
  });
  child.stderr?.on("data", (chunk) => {
    stderr += String(chunk);
  });
  return new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr })));
}

/** Until the condition holds; a test that waits for ever fails by its own time limit. */
export async function until<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A program that has just ended its run may still keep what it compiled. */
async function removed(folder: string): Promise<void> {
  for (const deadline = Date.now() + 5_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (errnoOf(error) !== "ENOTEMPTY" || Date.now() > deadline) throw error;
    }
  }
}

function readJournal(path: string) {
  try {
    return parseJournal(readFileSync(path));
  } catch {
    return { records: [], damaged: 0 };
  }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return otherwise;
  }
}
