import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Answers,
  choose,
  initialize,
  isRunning,
  newDirectory,
  soon,
  startDemo,
  type TestClient,
  type TestSession,
} from "./test-client.ts";

const answers: Answers = {};
const cwd = newDirectory();
let demo: TestClient;
let session: TestSession;

beforeAll(async () => {
  demo = startDemo({ permission: (request) => answers.permission?.(request) ?? choose("allow-once") });
  await initialize(demo.agent);
  session = await demo.newSession(cwd);
});
afterAll(async () => {
  demo.child.stdin?.end();
  await demo.exited;
});

describe("cancelling", () => {
  test("ends @slow in mid-stream", async () => {
    const turn = session.prompt("@slow 100000 5\n@say never");
    await session.heard("tick 3 ");
    await session.cancel();
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(session.text()).not.toContain("never");
  });

  test("ends a turn whose prompt came in the same breath", async () => {
    const { id: sessionId } = await demo.newSession(cwd);
    const prompt = { sessionId, prompt: [{ type: "text", text: "@sleep 600000" }] };
    const frames = [
      { jsonrpc: "2.0", id: "breath", method: "session/prompt", params: prompt },
      { jsonrpc: "2.0", method: "session/cancel", params: { sessionId } },
    ];
    demo.child.stdin?.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
    await expect.poll(() => demo.stdout(), soon).toContain('"id":"breath","result":{"stopReason":"cancelled"');
  });

  test("ends a turn that waits for a permission nobody gives", async () => {
    const asked = new Promise<void>((resolve) => {
      answers.permission = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    const turn = session.prompt("@edit never.txt x");
    await asked;
    await session.cancel();
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(session.of("tool_call_update")).toMatchObject([{ status: "failed", rawOutput: "Cancelled." }]);
    expect(existsSync(join(cwd, "never.txt"))).toBe(false);
    answers.permission = undefined;
  });

  test("by the answer to a permission alone", async () => {
    answers.permission = () => ({ outcome: { outcome: "cancelled" } });
    expect(await session.prompt("@permission Go\n@say never")).toMatchObject({ stopReason: "cancelled" });
    expect(session.text()).toBe("permission Go: cancelled\n");
    answers.permission = undefined;
  });

  test("kills the command that runs", async () => {
    const pids = join(cwd, "pids");
    const turn = session.prompt(`@run mkfifo ${pids}; sleep 600 & echo $! > ${pids}; wait`);
    await expect.poll(() => existsSync(pids), soon).toBe(true);
    const pid = Number(readFileSync(pids, "utf8")); // a fifo: returns once the pid is written
    await session.cancel();
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    await expect.poll(() => isRunning(pid), soon).toBe(false);
  });

  test("a second prompt at the same time is refused", async () => {
    const turn = session.prompt("@slow 100000 5");
    await session.heard("tick 1 ");
    const second = demo.agent.request("session/prompt", {
      sessionId: session.id,
      prompt: [{ type: "text", text: "@say hi" }],
    });
    await expect(second).rejects.toMatchObject({ code: -32600 });
    await session.cancel();
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
  });
});
