import { expect, test } from "vitest";
import type { TranscriptItem } from "../../../contract/sessions/transcript.ts";
import { retell } from "./retelling.ts";

const user = (text: string): TranscriptItem => ({ kind: "user", promptId: "p", content: [{ type: "text", text }] });
const said = (text: string): TranscriptItem => ({ kind: "message", messageId: "m", text });
const tool: TranscriptItem = {
  kind: "tool",
  output: "secret output",
  tool: { toolCallId: "1", toolName: "Bash", toolTitle: "npm test", kind: "execute", toolStatus: "completed" },
};

test("says who said what and which tools were used, without their output", () => {
  const text = retell([user("fix it"), { kind: "reasoning", messageId: "r", text: "hmm" }, tool, said("done")]);
  expect(text).toContain("User: fix it\n\nYou used Bash: npm test (completed)\n\nYou: done");
  expect(text).not.toContain("secret output");
  expect(text).not.toContain("hmm");
});

test("leaves out the oldest first, and says so", () => {
  const text = retell([user("old ".repeat(20)), said("middle"), user("new")], 40);
  expect(text).toContain("[earlier parts are left out]\n\nYou: middle\n\nUser: new");
  expect(text).not.toContain("old");
});

test("shortens a long message in the middle", () => {
  const text = retell([said(`begin${"x".repeat(9000)}end`)]);
  expect(text).toContain("begin");
  expect(text).toContain("[…]");
  expect(text).toContain("end");
  expect(text.length).toBeLessThan(5000);
});

test("of nothing is nothing", () => {
  expect(retell([])).toBe("");
});
