import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentEvent } from "../../../contract/events.ts";
import { appendLedger } from "../../../core/store/ledger/ledger.ts";
import { TestHome } from "../testing/test-home.ts";
import doctor from "./doctor.ts";
import gc from "./gc.ts";
import ls from "./ls.ts";
import show from "./show.ts";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

const titles = async () => (await home.cox(ls)).lines.slice(1).map((line) => line.split(/ {2,}/).at(-1));
const listCheck = async (...args: string[]) =>
  (await home.cox(doctor, ...args)).out.match(/^\S+ +list .*(\n {10}.*)*/m)?.[0];

test("a damaged line hides nothing else, and every list says so", async () => {
  home.addRun([], {}, "first");
  appendFileSync(home.home.ledger, '{"type":"start"}\n{"type":"start","run_id":"x","at":"y"}\n');
  home.addRun([], {}, "second");
  expect(await titles()).toEqual(["second", "first"]);
  for (const [spec, ...args] of [[ls], [gc, "-n"], [show, "r1"]] as const) {
    const { code, err } = await home.cox(spec, ...args);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^cox: .*passed over [12] damaged lines?; `cox doctor --repair`/),
    ]);
  }
});

test("doctor makes the list anew from the runs' directories, and keeps the old one", async () => {
  const runs = [home.addRun([], {}, "first"), home.addRun([], {}, "second"), home.addRun([], {}, "third")];
  const before = await titles();
  expect(await listCheck()).toMatch(/^ok +list/);
  appendLedger(home.home, { type: "gone", run_id: runs[1]?.id ?? "", at: "2026-08-01T11:02:00.000Z" });
  appendFileSync(home.home.ledger, "torn\n");
  expect(await listCheck()).toContain("passed over 1 damaged line");
  expect(await listCheck("--repair")).toContain("made anew from the directories of 3 runs; the old one is ");
  expect(await titles()).toEqual(before.filter((title) => title !== "second"));
  expect((await home.cox(ls)).err).toBe("");
  const kept = readdirSync(home.root).filter((name) => name.startsWith("runs.jsonl.before-"));
  expect(kept.map((name) => readFileSync(join(home.root, name), "utf8").endsWith("torn\n"))).toEqual([true]);
  expect(await listCheck("--repair")).toMatch(/^ok +list +all runs/);
});

test("one that is missing or a folder is an error until then", async () => {
  const words: AgentEvent = {
    type: "user_message",
    promptId: "m",
    delivery: "start",
    content: [{ type: "text", text: "the first words" }],
  };
  home.addRun([words], {}, "first");
  home.addRun([], { status: "running" });
  for (const break_ of [() => {}, () => mkdirSync(home.home.ledger)]) {
    rmSync(home.home.ledger, { recursive: true });
    break_();
    await expect(home.cox(ls)).rejects.toThrow("`cox doctor --repair` makes it anew");
    expect(await listCheck()).toMatch(/^fail +list/);
    expect(await listCheck("--repair")).toContain("made anew");
    expect((await titles()).at(-1)).toBe("the first words");
    expect((await titles()).length).toBe(2);
  }
  expect(existsSync(home.home.ledger)).toBe(true);
});
