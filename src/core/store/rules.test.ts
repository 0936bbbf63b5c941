import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { RuleDraft } from "../../contract/requests/policy.ts";
import { appendAudit, readAudit } from "./audit.ts";
import { openHome } from "./home.ts";
import { makeRule, readRules, removeRule } from "./rules.ts";
import { claimRun, releaseRun } from "./runs/claims.ts";
import { claimSession, releaseSession } from "./runs/session-claims.ts";

const draft: RuleDraft = { decision: "allow", kind: "execute", match: "git status", project: "shop", agent: "" };

describe("rules", () => {
  test("are one file each, made once, and gone when they are revoked", () => {
    const home = openHome(temporaryFolder());
    expect(readRules(home)).toEqual([]);
    const rule = makeRule(home, draft, "ada", 1000);
    expect(makeRule(home, draft, "bob", 2000)).toEqual(rule);
    const other = makeRule(home, { ...draft, decision: "deny" }, "bob", 2000);
    expect(readRules(home)).toEqual([rule, other]);
    expect(readdirSync(join(home.root, "rules")).sort()).toEqual([`${rule.id}.json`, `${other.id}.json`].sort());
    removeRule(home, rule.id);
    expect(readRules(home)).toEqual([other]);
    expect(() => removeRule(home, rule.id)).toThrow(expect.objectContaining({ code: "rule.not_found" }));
    expect(() => removeRule(home, "../x")).toThrow(expect.objectContaining({ code: "rule.not_found" }));
  });

  test.each([
    ["no JSON", "{"],
    ["half a rule", JSON.stringify({ decision: "allow", kind: "execute" })],
    ["another decision", JSON.stringify({ ...draft, decision: "maybe" })],
    ["an empty action, which would fit nothing or everything", JSON.stringify({ ...draft, match: "" })],
  ])("a file that is none decides nothing: %s", (_, text) => {
    const home = openHome(temporaryFolder());
    makeRule(home, draft, "ada", 1000);
    writeFileSync(join(home.root, "rules", "odd.json"), text);
    symlinkSync("/etc/passwd", join(home.root, "rules", "link.json"));
    expect(readRules(home)).toHaveLength(1);
  });
});

test("the audit log is read backwards, in pages", () => {
  const home = openHome(temporaryFolder());
  expect(readAudit(home, 10)).toEqual({ items: [] });
  for (let n = 1; n <= 5; n += 1) appendAudit(home, { at: String(n), what: "x", who: "ada" });
  const first = readAudit(home, 2);
  expect(first.items.map(({ at }) => at)).toEqual(["5", "4"]);
  const second = readAudit(home, 2, first.next);
  expect(second.items.map(({ at }) => at)).toEqual(["3", "2"]);
  expect(readAudit(home, 2, second.next).items.map(({ at }) => at)).toEqual(["1"]);
});

describe("a conversation", () => {
  const session = { agent: "demo", sessionId: "s/../1" };
  const [first, second] = ["20261115-0900000000-0000001-0001", "20261115-0900000000-0000001-0002"] as const;
  const claim = { pid: 1, start: "", boot: "", namespace: "", dir: "/" };

  test("is gone on with by one run at a time", () => {
    const home = openHome(temporaryFolder());
    claimRun(home, first, claim);
    claimSession(home, session, first);
    claimSession(home, session, first);
    expect(() => claimSession(home, session, second)).toThrow(
      expect.objectContaining({ code: "session.busy", details: { run: first } }),
    );
    claimSession(home, { ...session, agent: "other" }, second);
    releaseSession(home, session, second);
    expect(() => claimSession(home, session, second)).toThrow();
    releaseSession(home, session, first);
    claimSession(home, session, second);
  });

  test("whose run has ended without a word is free", () => {
    const home = openHome(temporaryFolder());
    claimRun(home, first, claim);
    claimSession(home, session, first);
    releaseRun(home, first);
    claimSession(home, session, second);
  });
});
