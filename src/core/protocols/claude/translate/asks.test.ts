import { describe, expect, test } from "vitest";
import { events, last, received } from "../../../../../test/support/claude-frames.ts";
import type { Json } from "../../read.ts";
import { replyTo } from "./asks.ts";
import type { Ask } from "./state.ts";

const ask = (suggestions: object[]): Ask => ({
  kind: "permission",
  requestId: "r",
  tool: "Bash",
  input: { command: "ls" },
  suggestions,
  questions: [],
});
const rule = { type: "addRules", rules: [{ toolName: "Bash" }], behavior: "allow", destination: "localSettings" };
const folder = { type: "addDirectories", directories: ["/w"], destination: "session" };
const mode = { type: "setMode", mode: "acceptEdits", destination: "projectSettings" };

describe("what always grants", () => {
  const granted = (...suggestions: object[]) =>
    replyTo(ask(suggestions), { optionId: "allow_always" }).updatedPermissions;

  test("ends with the session", () => {
    expect(granted(rule, folder)).toEqual([{ ...rule, destination: "session" }, folder]);
  });

  test("is a rule for the action rather than a mode for everything", () => {
    expect(granted(rule, mode)).toEqual([{ ...rule, destination: "session" }]);
    expect(granted(mode)).toEqual([{ ...mode, destination: "session" }]);
  });
});

describe("what is asked", () => {
  const request = (fields: Json) =>
    last(
      events([received({ type: "control_request", request_id: "r", request: { subtype: "can_use_tool", ...fields } })]),
      "permission_request",
    );

  test("always is offered only where the agent suggests what to grant", () => {
    const kinds = (fields: Json) => request(fields)?.permissionOptions.map((option) => option.kind);
    expect(kinds({ permission_suggestions: [rule] })).toEqual(["allow_once", "allow_always", "reject_once"]);
    expect(kinds({})).toEqual(["allow_once", "reject_once"]);
    expect(kinds({ permission_suggestions: [rule], suppress_always_allow_rule: true })).toEqual([
      "allow_once",
      "reject_once",
    ]);
  });

  test("a command with what it is about to touch", () => {
    const fields = {
      tool_name: "Bash",
      input: { command: "touch x" },
      blocked_path: "/w/x",
      decision_reason: "writes",
    };
    expect(request(fields)).toMatchObject({
      permissionTitle: "touch x",
      reason: "writes",
      actionType: "execute",
      actionDetails: { command: "touch x", paths: ["/w/x"] },
    });
  });

  test("an edit with its diff", () => {
    const input = { file_path: "/w/a", old_string: "one", new_string: "two" };
    const unified = "--- a/w/a\n+++ b/w/a\n@@ -1,1 +1,1 @@\n-one\n+two\n";
    expect(request({ tool_name: "Edit", input })?.actionDetails).toEqual({
      paths: ["/w/a"],
      diffs: [{ path: "/w/a", change: "modify", unified }],
    });
  });

  test("a form of an MCP server is a question", () => {
    const requested_schema = {
      properties: { branch: { type: "string", title: "Branch" }, count: { type: "integer" } },
    };
    const asked = received({
      type: "control_request",
      request_id: "r",
      request: { subtype: "elicitation", message: "Where?", requested_schema },
    });
    expect(last(events([asked]), "question_request")).toMatchObject({
      message: "Where?",
      questions: [
        { id: "branch", text: "Branch", answer: "text" },
        { id: "count", answer: "number" },
      ],
    });
  });
});

test("what can't be an answer is refused", () => {
  expect(() => replyTo(ask([]), { optionId: "maybe" })).toThrow(/no option maybe/);
  expect(() => replyTo(ask([]), { answers: {} })).toThrow(/asks for permission/);
});
