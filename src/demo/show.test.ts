import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { worthReading } from "./show.ts";
import { choose, delivered, initialize, newDirectory, startDemo, type TestClient } from "./test-client.ts";

function workspace(): string {
  const directory = newDirectory();
  execFileSync("git", ["init", "-q"], { cwd: directory });
  writeFileSync(join(directory, "README.md"), "# A place to try things\n\nNothing here.\n");
  return directory;
}

describe("an ordinary prompt gets the show", () => {
  let demo: TestClient;
  let optionId = "allow-once";
  const asked: RequestPermissionRequest[] = [];
  beforeAll(async () => {
    demo = startDemo({
      permission: (request) => {
        asked.push(request);
        return choose(optionId);
      },
      question: () => ({ action: "accept", content: { answer: "Yes, please" } }),
    });
    await initialize(demo.agent);
  });
  afterAll(async () => {
    demo.child.stdin?.end();
    await demo.exited;
  });

  test("with a yes: it plans, thinks, reads, edits, runs, asks and reports", async () => {
    asked.length = 0;
    const cwd = workspace();
    const session = await demo.newSession(cwd);
    const result = await session.prompt("Make the parser faster");

    expect(result.stopReason).toBe("end_turn");
    expect(result.usage).toMatchObject({ inputTokens: 6, outputTokens: expect.any(Number) });
    expect(session.text()).toContain("I run no model");
    expect(session.text()).toContain("I read README.md (3 lines)");
    expect(session.text()).toContain("You asked: “Make the parser faster”");
    expect(session.text(), "the answer to its question").toContain("@say hello");

    const plans = session.of("plan").map(({ entries }) => entries.map(({ status }) => status));
    expect(plans[0]).toEqual(["in_progress", "pending", "pending", "pending"]);
    expect(plans.at(-1)).toEqual(["completed", "completed", "completed", "completed"]);
    expect(session.of("agent_thought_chunk").length).toBeGreaterThan(3);
    expect(session.of("tool_call").map(({ kind, status }) => [kind, status])).toEqual([
      ["search", "pending"],
      ["read", "pending"],
      ["edit", "pending"],
      ["execute", "pending"],
    ]);
    const ended = session.of("tool_call_update").filter(({ status }) => status !== "in_progress");
    expect(ended.map(({ status }) => status)).toEqual(["completed", "completed", "completed", "completed"]);
    expect(session.of("usage_update")).toEqual([
      expect.objectContaining({ size: 32_000, cost: { amount: 0, currency: "USD" } }),
    ]);

    const note = join(cwd, "cox-demo.md");
    expect(readFileSync(note, "utf8")).toContain("- You asked: “Make the parser faster”\n");
    expect(ended.at(-1)?.rawOutput).toEqual({ output: "?? README.md\n?? cox-demo.md\n", exitCode: 0 });
    expect(asked.map(({ toolCall }) => toolCall.kind)).toEqual(["edit", "execute"]);
    expect(asked[0]?.toolCall.content).toEqual([
      { type: "diff", path: note, oldText: null, newText: readFileSync(note, "utf8") },
    ]);
  });

  test("with a no: it respects that and goes on", async () => {
    optionId = "reject-once";
    const cwd = workspace();
    const session = await demo.newSession(cwd);
    expect(await session.prompt("Delete everything")).toMatchObject({ stopReason: "end_turn" });
    expect(existsSync(join(cwd, "cox-demo.md"))).toBe(false);
    expect(session.text()).toContain("You said no. I respect that");
    expect(session.text()).toContain("You asked: “Delete everything”");
    optionId = "allow-once";
  });

  test("in plan mode: it changes nothing and asks nothing", async () => {
    asked.length = 0;
    const cwd = workspace();
    const session = await demo.newSession(cwd);
    await demo.agent.request("session/set_mode", { sessionId: session.id, modeId: "plan" });
    await delivered();
    expect(session.of("current_mode_update")).toMatchObject([{ currentModeId: "plan" }]);
    await session.prompt("Go");
    expect(asked).toEqual([]);
    expect(existsSync(join(cwd, "cox-demo.md"))).toBe(false);
    expect(session.of("tool_call").map(({ kind }) => kind)).toEqual(["search", "read"]);
  });

  test("a follow-up remembers, and adds to the note", async () => {
    const cwd = workspace();
    const session = await demo.newSession(cwd);
    await session.prompt("My name is Ada");
    await session.prompt("And now?");
    expect(session.text()).toContain("Earlier you said “My name is Ada”");
    expect(readFileSync(join(cwd, "cox-demo.md"), "utf8").match(/^- .*$/gm)).toEqual([
      "- You asked: “My name is Ada”",
      "- You asked: “And now?”",
    ]);
    await session.prompt("What did I say?");
    expect(session.text()).toBe("Earlier you said:\n- My name is Ada\n- And now?");
  });
});

test("without forms in the client it asks no question", async () => {
  const demo = startDemo({
    question: () => {
      throw new Error("the agent asked");
    },
  });
  await initialize(demo.agent, false);
  const session = await demo.newSession(newDirectory());
  expect(await session.prompt("Hello")).toMatchObject({ stopReason: "end_turn" });
  expect(session.text()).toContain("The workspace is empty.");
  expect(session.text()).toContain("You asked: “Hello”");
  demo.child.stdin?.end();
  expect(await demo.exited).toEqual({ code: 0, signal: null });
});

test("which file is worth reading", () => {
  expect(worthReading(["a.ts", "docs", "readme.txt"])).toBe("readme.txt");
  expect(worthReading(["bin", "cox-demo.md", "main.py"])).toBe("main.py");
  expect(worthReading(["cox-demo.md"])).toBe("cox-demo.md");
  expect(worthReading(["bin", "logo.png"])).toBeUndefined();
});
