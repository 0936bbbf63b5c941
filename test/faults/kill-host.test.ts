import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { processesWithEnv } from "../../src/lib/process/holders/identity.ts";
import { root, Scene, scene } from "../support/cox.ts";

/** Pauses, so that the events reach the log in many writes, each a point to be killed at. */
const SAYS = Array.from({ length: 30 }, (_, i) => `@say ${i}\n@sleep 25`).join("\n");
const PROMPT = `@run echo two\n@edit note.txt hello\n@daemon\n${SAYS}`;
const AT_LEAST = 60;

/** One run whose host is killed just before its n-th step; `undefined` when it had fewer steps than that. */
async function killedAt(n: number): Promise<{ scene: Scene; survived: boolean }> {
  const made = scene();
  const steps = join(made.folder, "steps");
  const preload = join(root, "test/support/kill-at.mjs");
  await made.cox(["run", "--agent", "demo", "--permissions", "allow", "--", PROMPT], {
    nodeArgs: ["--import", preload],
    env: { COX_TEST_KILL_AT: String(n), COX_TEST_STEPS_FILE: steps },
  });
  return { scene: made, survived: existsSync(steps) && Number(readFileSync(steps, "utf8")) < n };
}

function expectWhole(made: Scene): void {
  const ledger = existsSync(join(made.home, "runs.jsonl")) ? made.ledger() : [];
  const runs = existsSync(join(made.home, "projects")) ? made.runs() : [];
  for (const run of runs) {
    if (run.info === undefined) {
      expect(existsSync(join(run.dir, "run-info.yaml")), "a run-info that is there parses").toBe(false);
      continue; // it was lost before it began: an empty folder, not a run
    }
    const id = run.info.run_id;
    expect(run.info.status, "judged").not.toBe("running");
    expect(ledger.filter((record) => record.run_id === id).map(({ type }) => type)).toEqual(["start", "end"]);
    expect(run.damaged, "at most the record that was being written").toBeLessThanOrEqual(1);
    expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, i) => i + 1));
    expect(run.events.at(-1)).toMatchObject({ type: "session_status", status: "closed" });
    const begun = run.events.filter(({ type }) => type === "turn_started").length;
    expect(run.events.filter(({ type }) => type === "complete")).toHaveLength(begun);
    expect(existsSync(join(run.dir, "output.md"))).toBe(true);
    expect(processesWithEnv("COX_RUN_ID", id)).toEqual([]);
    expect(readFileSync(join(made.home, "handles", String(run.info.handle)), "utf8").trim()).toBe(id);
  }
  expect(ledger.filter(({ type }) => type === "start").length).toBe(runs.filter(({ info }) => info).length);
}

describe("a host killed at every step", () => {
  test("leaves a run that the next command completes", { timeout: 600_000 }, async () => {
    let n = 1;
    for (let survivors = 0; survivors < 2; n += 2) {
      const pair = await Promise.all([killedAt(n), killedAt(n + 1)]);
      for (const { scene, survived } of pair) {
        const listed = await scene.cox(["ls"]);
        expect(listed.code, listed.stderr).toBe(0);
        expectWhole(scene);
        if (survived) survivors += 1;
      }
    }
    console.log(`killed at ${n - 2} points`);
    expect(n - 2).toBeGreaterThanOrEqual(AT_LEAST);
  });
});
