import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { findConversation, removeStalePipes, retire } from "./resume.ts";

const talk = '{"type":"summary"}\n{"type":"user","message":{}}\n';

function logs(files: Record<string, { age: number; text?: string }>) {
  const folder = temporaryFolder();
  for (const [name, { age, text = talk }] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    const time = new Date(Date.now() - age * 1000);
    utimesSync(path, time, time);
  }
  const found = findConversation(folder, "/home/agent/my_work.space");
  return found?.slice(folder.length + 1);
}

describe("the conversation to go on with", () => {
  test.each<[string, Record<string, { age: number; text?: string }>, string | undefined]>([
    ["none", {}, undefined],
    ["the newest", { "p/a.jsonl": { age: 9 }, "p/b.jsonl": { age: 1 } }, "p/b.jsonl"],
    ["none of a subagent", { "p/a.jsonl": { age: 9 }, "p/s/subagents/b.jsonl": { age: 1 } }, "p/a.jsonl"],
    ["none that was put aside", { "p/a.jsonl": { age: 9 }, "p/b.jsonl.stale": { age: 1 } }, "p/a.jsonl"],
    [
      "none that has nothing in it",
      { "p/a.jsonl": { age: 9 }, "p/b.jsonl": { age: 1, text: '{"type":"summary"}\n' } },
      "p/a.jsonl",
    ],
    [
      "of this folder before any other",
      { "-home-agent-my-work-space/a.jsonl": { age: 9 }, "-elsewhere/b.jsonl": { age: 1 } },
      "-home-agent-my-work-space/a.jsonl",
    ],
  ])("%s", (_, files, found) => {
    expect(logs(files)).toBe(found);
  });

  test("put aside, it is kept", () => {
    const log = join(temporaryFolder(), "a.jsonl");
    writeFileSync(log, talk);
    retire(log);
    expect(existsSync(log)).toBe(false);
    expect(existsSync(`${log}.stale`)).toBe(true);
  });
});

test("pipes that nobody reads any more are removed, and nothing else", () => {
  const folder = temporaryFolder();
  const session = join(folder, "sessions", "one");
  mkdirSync(session, { recursive: true });
  execFileSync("mkfifo", [join(session, "hook.pipe")]);
  writeFileSync(join(session, "state_events.jsonl"), "");
  expect(removeStalePipes(folder)).toBe(1);
  expect(existsSync(join(session, "hook.pipe"))).toBe(false);
  expect(existsSync(join(session, "state_events.jsonl"))).toBe(true);
  expect(removeStalePipes(join(folder, "missing"))).toBe(0);
});
