import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createAgent, type RunContext } from "../../index.ts";

let home: string;
beforeEach(() => {
  home = temporaryFolder();
  vi.stubEnv("COX_HOME", home);
  return () => void vi.unstubAllEnvs();
});

function context(change: Partial<RunContext> = {}): RunContext {
  const folder = temporaryFolder();
  return {
    runId: "test-run",
    projectId: "p",
    taskId: "t",
    prompt: "@say hello",
    workingDir: folder,
    stdoutPath: join(folder, "stdout"),
    stderrPath: join(folder, "stderr"),
    environment: { DEMO_HOME: folder },
    ...change,
  };
}

describe("createAgent", () => {
  test("takes the type in any case", () => {
    expect(createAgent({ type: "Demo" }).type).toBe("demo");
  });

  test("an unknown type is an error by name", () => {
    expect(() => createAgent({ type: "hal" })).toThrow("unknown agent type: hal");
  });

  test.each(["", " "])("a key of %j is refused at once", (token) => {
    expect(() => createAgent({ type: "perplexity", token })).toThrow(/^api key is empty; give a token/);
  });

  test("agents of one's own are those of the usual state folder, or of another", () => {
    const own = { agents: [{ id: "mine", name: "Mine", protocol: "acp", cmd: ["mine"] }] };
    writeFileSync(join(home, "agents.json"), JSON.stringify(own));
    expect(createAgent({ type: "mine" }).type).toBe("mine");
    expect(() => createAgent({ type: "mine", home: temporaryFolder() })).toThrow("unknown agent type: mine");
    writeFileSync(
      join(home, "agents.json"),
      JSON.stringify([
        { id: "demo", enabled: false },
        { id: "bad", cmd: 7 },
      ]),
    );
    expect(() => createAgent({ type: "demo" })).toThrow("unknown agent type: demo");
    expect(() => createAgent({ type: "mine" })).toThrow("unknown agent type: mine");
  });

  test("an entry that doesn't hold is told when it is used", async () => {
    writeFileSync(join(home, "agents.json"), JSON.stringify([{ id: "bad", cmd: 7 }]));
    const bad = createAgent({ type: "bad" }).open({ cwd: home });
    await expect(bad).rejects.toMatchObject({ code: "config.invalid" });
  });
});

describe("execute", () => {
  const demo = createAgent({ type: "demo" });

  test("a valid run succeeds, and its output is in the files", async () => {
    const given = context();
    await demo.execute(given);
    expect(readFileSync(given.stdoutPath, "utf8")).toContain("hello");
    expect(existsSync(given.stderrPath)).toBe(true);
  });

  test("a second one begins its files anew", async () => {
    const given = context({ prompt: "@stderr trouble\n@say alpha-word" });
    await demo.execute(given);
    await demo.execute({ ...given, prompt: "@say omega-word" });
    const [stdout, stderr] = [given.stdoutPath, given.stderrPath].map((path) => readFileSync(path, "utf8"));
    expect([stdout?.includes("omega-word"), stdout?.includes("alpha-word"), stderr]).toEqual([true, false, ""]);
  });

  test.each([
    ["runId", "run id is empty; set runId"],
    ["workingDir", "working directory is empty; set workingDir"],
    ["stdoutPath", "stdout path is empty; set stdoutPath"],
    ["stderrPath", "stderr path is empty; set stderrPath"],
  ])("without %s: %s", async (key, message) => {
    await expect(demo.execute(context({ [key]: "" }))).rejects.toThrow(message);
  });

  test("without a context at all", async () => {
    await expect(demo.execute(undefined as never)).rejects.toThrow(/^run context is nil; give /);
  });

  test("relative paths are refused", async () => {
    await expect(demo.execute(context({ workingDir: "here" }))).rejects.toThrow(
      "working directory is not an absolute path",
    );
  });

  test("an empty prompt is allowed", async () => {
    await createAgent({ type: "demo", permissions: "allow" }).execute(
      context({ prompt: "", environment: { DEMO_SPEED: "0" } }),
    );
  });

  test("cancellation ends the agent, and its reason passes untouched", async () => {
    const stop = new AbortController();
    const given = context({ prompt: "@slow 1000 20" });
    const running = demo.execute(given, stop.signal);
    const reason = new Error("enough");
    setTimeout(() => stop.abort(reason), 700);
    await expect(running).rejects.toBe(reason);
  });

  test("a stdout path that can't be made", async () => {
    const given = context();
    writeFileSync(given.stdoutPath, "");
    const inside = join(given.stdoutPath, "below-a-file");
    await expect(demo.execute({ ...given, stdoutPath: inside })).rejects.toThrow(
      /^execute agent: open for appending: .*below-a-file/,
    );
  });

  test("an exit code is told", async () => {
    await expect(demo.execute(context({ prompt: "@crash 3" }))).rejects.toThrow("agent exited with code 3");
  });

  test("an API error is told, and a text goes to stdout with a newline", async () => {
    const models: unknown[] = [];
    const server = createServer((request, response) => {
      request.on("data", (chunk) => models.push(JSON.parse(String(chunk)).model));
      if (request.headers.authorization !== "Bearer good-key")
        return void response.writeHead(401).end('{"error":{"message":"no"}}');
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end('data: {"choices":[{"delta":{"content":"pong"}}]}\n\ndata: [DONE]\n\n');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    onTestFinished(() => void server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const given = context({ environment: {} });
    await createAgent({ type: "xai", token: "good-key", baseUrl }).execute(given);
    expect(readFileSync(given.stdoutPath, "utf8")).toBe("pong\n");
    expect(models).toEqual(["grok-4.7"]); // the one that `cox run` would take
    const wrong = createAgent({ type: "xai", token: "wrong-key", baseUrl }).execute(context());
    await expect(wrong).rejects.toMatchObject({ code: "agent.failed", details: { category: "auth", httpStatus: 401 } });
  });

  test("without a key the API backend says so", async () => {
    await expect(createAgent({ type: "xai" }).execute(context())).rejects.toThrow(/api key is empty|XAI_API_KEY/);
  });
});

describe("open", () => {
  test("five lines: a conversation of two turns", async () => {
    const session = await createAgent({ type: "demo" }).open({ cwd: temporaryFolder() });
    const first = await session.run("@say hello");
    const second = await session.run("@memory");
    await session.close();
    expect(first.finalResponse).toBe("hello");
    expect(second.finalResponse).toContain("@say hello");
    expect(session.id).toMatch(/^demo_/);
  });

  test("runStreamed yields the turn's events, complete last", async () => {
    const session = await createAgent({ type: "demo" }).open({ cwd: temporaryFolder() });
    const types: string[] = [];
    for await (const event of session.runStreamed("@say hi\n@usage 3 4")) types.push(event.type);
    await session.close();
    expect(types.at(-1)).toBe("complete");
    expect(types).toContain("message_chunk");
  });
});
