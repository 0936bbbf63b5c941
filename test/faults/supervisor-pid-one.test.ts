import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findExecutable } from "../../src/lib/process/path/executable.ts";
import { type Finished, finished, root, until } from "../support/cox.ts";
import { type SupervisedScene, supervisedScene } from "../support/supervised.ts";

/** The same in every process of a machine, and nobody sets it: the time of day jumped once between two of them. */
const steadyMs = (): number => Number(process.hrtime.bigint()) / 1e6;

const unshare = findExecutable("unshare", { path: process.env.PATH, cwd: "/" });
const mayUnshare = (() => {
  try {
    execFileSync("unshare", ["--pid", "--fork", "--mount-proc", "tini", "--", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** Tells when it began and when it was asked to end, then ends as it is told to. */
const agent = (onTerm: string, start = "") => `#!/usr/bin/env node
const { appendFileSync, readdirSync, readFileSync } = require("node:fs");
const note = (entry) => appendFileSync(process.env.NOTES, JSON.stringify(entry) + "\\n");
process.on("SIGTERM", () => { note({ term: Number(process.hrtime.bigint()) / 1e6 }); ${onTerm} });
process.on("SIGHUP", () => {});
${start}
process.stdout.write("ready\\n❯ ");
note({ up: process.pid });
setInterval(() => {}, 1000);
`;

interface Note {
  up?: number;
  term?: number;
  zombies?: number;
  orphans?: number;
}

class Namespace {
  readonly unshare: ChildProcess;
  readonly done: Promise<Finished>;
  readonly #notes: string;

  constructor(made: SupervisedScene, argv: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.#notes = join(made.scene.folder, `notes-${Math.random()}`);
    this.unshare = spawn(unshare, ["--pid", "--fork", "--kill-child", "--mount-proc", ...argv], {
      cwd: made.workspace,
      env: { ...made.env, NOTES: this.#notes, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.done = finished(this.unshare);
    onTestFinished(async () => {
      this.unshare.kill("SIGKILL");
      await this.done;
    });
  }

  notes(): Note[] {
    if (!existsSync(this.#notes)) return [];
    const lines = readFileSync(this.#notes, "utf8").split("\n").slice(0, -1); // the last one may be half written
    return lines.map((line) => JSON.parse(line));
  }

  said = (find: (note: Note) => unknown): Promise<Note> => until(() => this.notes().find(find));

  /** To the first process of the namespace, as a container's engine does it. */
  signal(signal: NodeJS.Signals): number {
    const { pid } = this.unshare;
    const first = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]);
    process.kill(first, signal);
    return steadyMs();
  }
}

const ports = ["--coop-port=28080", "--coop-health-port=28081", "--status-port=28082"];
const cox = (made: SupervisedScene, ...args: string[]) => [
  ...[process.execPath, join(root, "bin/cox"), "agent", "start", "--k8s", `--workspace=${made.workspace}`],
  ...["--nudge=", "--command=agent", ...ports, ...args],
];
const tini = ["tini", "-g", "--"];

describe.skipIf(!mayUnshare)("in a process namespace of its own", { timeout: 60_000 }, () => {
  /** Each `sleep` loses its parent at once. When all are there they are ended, and whoever inherited them has a second. */
  const orphans = `
const { spawn } = require("node:child_process");
for (let n = 0; n < 200; n += 1) spawn("sh", ["-c", "sleep 600 & exit 0"], { detached: true, stdio: "ignore" }).unref();
const all = () => readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).flatMap((pid) => {
  try { return [[Number(pid), readFileSync("/proc/" + pid + "/stat", "utf8")]]; } catch { return []; }
});
const sleeping = () => all().filter(([, stat]) => /\\(sleep\\) S/.test(stat)).map(([pid]) => pid);
const zombies = () => all().filter(([, stat]) => /\\) Z/.test(stat)).length;
const wait = setInterval(() => {
  const pids = sleeping();
  if (pids.length < 200) return;
  clearInterval(wait);
  for (const pid of pids) process.kill(pid, "SIGKILL");
  setTimeout(() => note({ orphans: pids.length, zombies: zombies() }), 1000);
}, 50);
`;

  test.each([
    ["under tini", tini],
    ["as the first process itself, which starts tini", []],
  ])("200 orphans leave no zombie, %s", async (_, init) => {
    const made = supervisedScene();
    made.program("agent", agent("process.exit(0);", orphans));
    const inside = new Namespace(made, [...init, ...cox(made)]);
    const { zombies, orphans: seen } = await inside.said(({ zombies }) => zombies !== undefined);
    expect(seen).toBe(200);
    expect(zombies).toBe(0);
    inside.signal("SIGTERM");
    expect((await inside.done).code).toBe(0);
  });

  test("as the first process, without tini, it refuses and says what to do", async () => {
    const made = supervisedScene();
    const inside = new Namespace(made, cox(made), { PATH: "/nowhere" });
    const { code, stderr } = await inside.done;
    expect(code).toBe(1);
    expect(stderr).toContain("tini -g -- cox");
  });

  test("SIGTERM reaches the agent as fast as under tini alone", { timeout: 240_000 }, async () => {
    const made = supervisedScene();
    made.program("agent", agent("process.exit(0);"));
    const delay = async (argv: readonly string[]) => {
      const inside = new Namespace(made, argv);
      await inside.said(({ up }) => up !== undefined);
      if (argv.length > 5) await until(() => fetchHealth()); // the host has it in its care
      const sent = inside.signal("SIGTERM");
      const { term = 0 } = await inside.said(({ term }) => term !== undefined);
      expect((await inside.done).code).toBe(0);
      return term - sent;
    };
    const bare: number[] = [];
    const supervised: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      bare.push(await delay([...tini, "agent"]));
      supervised.push(await delay([...tini, ...cox(made)]));
    }
    const p50 = (values: number[]) => [...values].sort((a, b) => a - b)[10] ?? 0;
    console.log(`SIGTERM to the agent, p50 of 20: ${p50(bare)} ms under tini alone, ${p50(supervised)} ms supervised`);
    // The quickest of each: a busy machine makes programs wait, and the more of them there are the longer.
    expect(Math.min(...supervised)).toBeLessThanOrEqual(Math.min(...bare) + 100);
  });

  test.each([
    ["obeyed with 0", "process.exit(0);", 0],
    ["obeyed with a code of its own", "setTimeout(() => process.exit(9), 500);", 0],
    ["not obeyed within the grace: the agent's code", "", 137],
  ])("exit code: %s", async (_, onTerm, code) => {
    const made = supervisedScene();
    made.program("agent", agent(onTerm));
    const inside = new Namespace(made, [...tini, ...cox(made, "--grace=3s")]);
    await inside.said(({ up }) => up !== undefined);
    await until(() => fetchHealth());
    inside.signal("SIGTERM");
    expect((await inside.done).code).toBe(code);
  });

  test("a second SIGTERM doesn't wait", async () => {
    const made = supervisedScene();
    made.program("agent", agent(""));
    const inside = new Namespace(made, [...tini, ...cox(made, "--grace=60s")]);
    await inside.said(({ up }) => up !== undefined);
    await until(() => fetchHealth());
    inside.signal("SIGTERM");
    await inside.said(({ term }) => term !== undefined);
    const second = inside.signal("SIGTERM");
    expect((await inside.done).code).toBe(137);
    expect(steadyMs() - second).toBeLessThan(5000);
  });
});

async function fetchHealth(): Promise<boolean> {
  try {
    return (await fetch("http://127.0.0.1:28080/api/v1/health")).ok;
  } catch {
    return false;
  }
}
