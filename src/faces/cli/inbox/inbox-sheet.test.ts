import { expect, test } from "vitest";
import type { Question } from "../../../contract/events.ts";
import type { OpenRequest } from "../../../contract/sessions/transcript.ts";
import { noColours } from "../../../lib/command/paint.ts";
import { permission } from "../testing/test-events.ts";
import { renderWhole } from "../view/lines/request-lines.ts";
import { inboxSheet } from "./inbox-sheet.ts";
import { emptyInbox, follow, type Waiting } from "./inbox-state.ts";

const NOW = Date.parse("2026-08-01T12:00:00Z");
const page = { width: 39, paint: noColours };

const waiting = (request: OpenRequest, name = "r7.p0"): Waiting => ({
  runId: name,
  dir: "/",
  request: { ...request, seq: 1, at: "2026-08-01T11:57:00.000Z" },
  name,
  agent: "demo",
  cwd: "/work",
  canRemember: true,
});

function sheet(list: readonly Waiting[], read = () => "") {
  const inbox = follow(emptyInbox, list, () => "");
  return inboxSheet(inbox, NOW, (one) => renderWhole(one.request, read, page), page);
}

test("who asks, what, and how to answer", () => {
  expect(sheet([waiting(permission("p0")), waiting(permission("p0"), "r8.p0")])).toMatchObject({
    head: ["1 of 2 · permission r7.p0 · waiting 3m"],
    body: ["demo in /work", "Run ls", "$ ls", "in /work"],
    foot: ["[a]llow once  [A]lways  [d]eny"],
    before: "before a yes",
  });
});

test("all of a long command, also what hides in it", () => {
  const command = `${Array.from({ length: 30 }, (_, i) => `echo ${i}`).join("\n")}\nrm\u200b -rf /`;
  const { body } = sheet([waiting(permission("p0", command))]);
  expect(body.filter((line) => /^[$ ] echo \d+$/.test(line))).toHaveLength(30);
  expect(body).toContain("  rm\\u{200b} -rf /");
});

test("a question, with where the answer is typed", () => {
  const question: Question = { id: "a", text: "Colour?", answer: "choice", choices: [{ value: "r", label: "Red" }] };
  const request: OpenRequest = { type: "question_request", pendingId: "q0", questions: [question] };
  expect(sheet([waiting(request)])).toMatchObject({
    body: ["demo in /work", "Colour?", "  1 Red"],
    foot: ["press a number, or type  [Esc] decline", "> "],
    cursor: 2,
  });
});

test("what can't be read whole is cut, and says why", () => {
  const request = permission("p0");
  request.actionDetails.diffs = [{ path: "a.txt", change: "modify", unified: "@@ -1 +1 @@\n-a\n+b\n" }];
  const shown = sheet([waiting(request)], (): string => {
    throw new Error("no blob");
  });
  expect(shown.isCut).toBe(true);
  expect(shown.body.join(" ")).toContain("not all of it can be shown, so it can't be allowed: no blob");
});

test("nothing waits", () => {
  expect(sheet([])).toMatchObject({ body: ["nobody waits for you; what comes is", "shown here"] });
});
