import { describe, expect, test } from "vitest";
import { agentSocket } from "../../../test/support/agent-socket.ts";
import mcp from "../../app/commands/mcp.ts";
import run from "../../app/commands/run.ts";
import type { RunReport } from "../../contract/agent-socket.ts";
import type { BusMessage } from "../../contract/bus.ts";
import type { AgentCalls } from "../../core/host/tools/perform.ts";
import { runCommand } from "../../lib/command/command.ts";
import bus from "./commands/bus.ts";
import output from "./commands/output.ts";
import task from "./commands/task.ts";
import wait from "./commands/wait.ts";
import { runSocket } from "./run-socket.ts";
import { type TestContext, testContext } from "./testing/test-context.ts";

const message = (id: string, type: string, body: string, parents: string[] = []): BusMessage => ({
  id,
  time: "2026-01-01T00:00:00.000Z",
  type,
  project: "web",
  task: "fix",
  run: "",
  parents,
  links: [],
  body,
  cursor: id,
});
const report: RunReport = {
  run_id: "r1",
  task: "kid",
  agent: "demo",
  status: "completed",
  reason: "",
  exit_code: 0,
  error: "",
  started: "",
  ended: "",
};

/** Inside a run that sees nothing of ours but its socket. */
async function inside(calls: Partial<AgentCalls>, stdin = "") {
  const { path } = await agentSocket(calls);
  return testContext({ env: { COX_SOCKET: path, COX_RUN_ID: "me" }, tty: false, stdin });
}

test("the socket is the way in only where there is no home", () => {
  expect(runSocket({ COX_SOCKET: "/s" })).toBe("/s");
  expect(runSocket({ COX_SOCKET: "/s", COX_HOME: "/h" })).toBeUndefined();
  expect(runSocket({ COX_HOME: "/h" })).toBeUndefined();
  expect(runSocket({})).toBeUndefined();
});

describe("cox bus through the run's socket", () => {
  test("posts words, or what comes on stdin", async () => {
    const posted: unknown[] = [];
    const calls: Partial<AgentCalls> = {
      bus_post: async (params) => {
        posted.push(params);
        return { id: `m${posted.length}` };
      },
    };
    const context = await inside(calls, "from stdin");
    await runCommand(bus, ["post", "--type", "FACT", "--link", "https://x.test/", "it", "works"], context);
    await runCommand(bus, ["post"], context);
    expect(context.out()).toBe("m1\nm2\n");
    expect(posted).toEqual([
      { type: "FACT", body: "it works", parents: [], links: ["https://x.test/"] },
      { type: "INFO", body: "from stdin", parents: [], links: [] },
    ]);
  });

  test("reads all of it, page after page", async () => {
    const all = Array.from({ length: 450 }, (_, i) => message(String(i + 1), i % 2 ? "FACT" : "INFO", `text ${i + 1}`));
    const context = await inside({
      bus_read: async ({ since = "0", limit }) => {
        const messages = all.slice(Number(since), Number(since) + limit);
        return { messages, cursor: messages.at(-1)?.cursor ?? since, damaged: 0 };
      },
    });
    await runCommand(bus, ["read", "--type", "FACT"], context);
    expect(context.out().trimEnd().split("\n")).toHaveLength(225);
    expect(context.out()).toContain("text 450");
    expect(context.err()).toBe("cursor: 450\n");
  });

  test("asks, and waits for the answer to that", async () => {
    const pages = [[message("1", "ANSWER", "not to you", ["other"])], [], [message("2", "ANSWER", "no", ["q"])]];
    const context = await inside({
      bus_post: async () => ({ id: "q" }),
      bus_read: async ({ since }) => ({ messages: (since && pages.shift()) || [], cursor: "1", damaged: 0 }),
    });
    expect(await runCommand(bus, ["ask", "Deploy?"], context)).toBe(1);
    expect(context.out()).toBe("no\n");
  });

  test.each([
    [["post", "--project", "other", "hi"], "--project"],
    [["read", "--task", "other"], "--task"],
    [["post", "--durable", "hi"], "--durable"],
  ])("%j: no other bus, and nothing that isn't done", async (args, option) => {
    await expect(runCommand(bus, args, await inside({}))).rejects.toThrow(
      `${option} can't be used inside this run: it reaches cox through COX_SOCKET alone`,
    );
  });

  test("an answer needs its question", async () => {
    const context = await inside({
      bus_post: async () => ({ id: "m" }),
      bus_read: async () => ({ messages: [message("q", "QUESTION", "?")], cursor: "1", damaged: 0 }),
    });
    await expect(runCommand(bus, ["answer", "x", "yes"], context)).rejects.toMatchObject({ code: "request.not_found" });
    expect(await runCommand(bus, ["answer", "q", "yes"], context)).toBe(0);
  });
});

describe("runs through the run's socket", () => {
  test("detached: the id and nothing else", async () => {
    const wishes: unknown[] = [];
    const context = await inside({
      spawn_run: async (wish) => {
        wishes.push(wish);
        return { run_id: "r1", task: "kid" };
      },
    });
    await runCommand(run, ["-d", "--agent", "demo", "--timeout", "2m", "--", "do", "it"], context);
    expect(context.out()).toBe("r1\n");
    expect(wishes).toEqual([{ prompt: "do it", agent: "demo", timeout_s: 120 }]);
  });

  test("in the foreground: what it produced, and its exit code", async () => {
    const failed: RunReport = { ...report, status: "failed", reason: "exit_code", exit_code: 7 };
    const context = await inside({
      spawn_run: async () => ({ run_id: "r1", task: "kid" }),
      wait_run: async () => ({ ended: true, runs: [failed] }),
      run_status: async () => ({ ...failed, output: "all there is\n", output_bytes: 13 }),
    });
    expect(await runCommand(run, ["hi"], context)).toBe(7);
    expect(context.out()).toBe("all there is\n");
  });

  test.each([["--permissions"], ["--env"], ["--on"], ["--profile"], ["--resume"]])(
    "%s is not the agent's to choose",
    async (option) => {
      const started = runCommand(run, [option, "X=1", "hi"], await inside({}));
      await expect(started).rejects.toThrow(`cox run: ${option} can't be used inside this run`);
    },
  );

  test("waiting goes on until they have ended", async () => {
    const waits = [false, false, true];
    const context = await inside({ wait_run: async () => ({ ended: waits.shift() ?? true, runs: [report] }) });
    expect(await runCommand(wait, ["r1"], context)).toBe(0);
    expect(context.out()).toBe("r1 completed\n");
    expect(waits).toEqual([]);
  });

  test("or until the time is over", async () => {
    const running: RunReport = { ...report, status: "running" };
    const asked: number[] = [];
    const context: TestContext = await inside({
      wait_run: async ({ timeout_s }) => {
        asked.push(timeout_s);
        context.clock.pass(timeout_s * 1000);
        return { ended: false, runs: [running] };
      },
    });
    await expect(runCommand(wait, ["--timeout", "15m", "r1"], context)).rejects.toMatchObject({ code: "timeout" });
    expect(asked).toEqual([600, 300]);
  });

  test("an output that is cut says so", async () => {
    const context = await inside({ run_status: async () => ({ ...report, output: "begin", output_bytes: 9000 }) });
    expect(await runCommand(output, ["r1"], context)).toBe(0);
    expect([context.out(), context.err()]).toEqual(["begin", "cox: this is the beginning of 9000 bytes\n"]);
  });
});

describe("tasks through the run's socket", () => {
  test("are created and shown", async () => {
    const wishes: unknown[] = [];
    const context = await inside({
      task_create: async (wish) => {
        wishes.push(wish);
        return { task: "web/later" };
      },
    });
    await runCommand(task, ["create", "--depends-on", "fix", "Do", "it"], context);
    expect(context.out()).toBe("web/later\n");
    expect(wishes).toMatchObject([{ title: "Do it", prompt: "Do it", depends_on: ["fix"], review: false }]);
  });

  test.each([["start"], ["cancel"], ["done"], ["delete"]])("%s is for people", async (verb) => {
    const refused = runCommand(task, [verb, "fix"], await inside({}));
    await expect(refused).rejects.toMatchObject({ code: "command.unsupported" });
  });
});

test("cox mcp outside a run says that there is none", async () => {
  const started = runCommand(mcp, [], testContext({ env: {} }));
  await expect(started).rejects.toThrow("COX_SOCKET is not set");
});
