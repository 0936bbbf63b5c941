import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Coxswain, OpenRequest, RecordedEvent, Run, TurnResult } from "../../src/index.ts";
import { root, type Scene, scene, until } from "../support/cox.ts";
import { startServer } from "../support/server.ts";

/** As it is built: a host takes orders only from the same build. */
const { AppError, coxswain }: typeof import("../../src/index.ts") = createRequire(import.meta.url)(
  join(root, "dist/index.cjs"),
);

/** The same things, done on this machine and on a server. */
const places: Record<string, (made: Scene) => Promise<Coxswain>> = {
  "on this machine": async (made) => coxswain({ env: made.env }),
  "on a server": async (made) => {
    const server = await startServer(made);
    onTestFinished(async () => void (await server.stop()));
    return coxswain({ url: server.url, token: server.token });
  },
};

describe.each(Object.entries(places))("%s", (_, open) => {
  async function begin() {
    const made = scene();
    const cox = await open(made);
    const start = async (prompt: string, more: Partial<Parameters<Coxswain["start"]>[0]> = {}): Promise<Run> => {
      const run = await cox.start({ agent: "demo", workspace: made.workspace, prompt, ...more });
      onTestFinished(() => stopAll(cox));
      return run;
    };
    return { made, cox, start };
  }

  test("a run is started, followed to its end, waited for and listed", async () => {
    const { made, cox, start } = await begin();
    const run = await start("@say hello\n@usage 3 4", { project: "p", task: "t", title: "Greeting" });
    const events: RecordedEvent[] = [];
    for await (const event of run.events()) events.push(event);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)).toMatchObject({ type: "session_status", status: "closed" });
    const info = await run.wait();
    expect(info).toMatchObject({ run_id: run.id, state: "completed", project: "p", task: "t", mode: "batch" });
    expect(await run.info()).toEqual(info);
    const later: RecordedEvent[] = [];
    for await (const event of run.events({ after: 3 })) later.push(event);
    expect(later).toEqual(events.slice(3));
    expect(await run.turn()).toMatchObject({
      outcome: "completed",
      finalResponse: "hello",
      usage: { input: 3, output: 4 },
    });
    const byNumber = cox.run(`r${info.handle}`);
    expect(await byNumber.info()).toEqual(info);
    // A run like any other.
    expect((await made.cox(["ls", "--json"])).stdout).toContain(run.id);

    const other = await start("@say again", { project: "q" });
    await other.wait();
    const ids = async (wanted?: Parameters<Coxswain["list"]>[0]) => (await cox.list(wanted)).map((one) => one.run_id);
    expect(await ids()).toEqual([other.id, run.id]);
    expect(await ids({ limit: 1 })).toEqual([other.id]);
    expect(await ids({ project: "p", task: "t", agent: "demo", status: "completed" })).toEqual([run.id]);
    expect(await ids({ status: "running" })).toEqual([]);
    expect((await cox.list({ project: "p" }))[0]).toMatchObject({ title: "Greeting", end: { status: "completed" } });
  });

  test("variables, tools and limits get there", async () => {
    const { start } = await begin();
    const server = join(root, "test/fakes/mcp-stdio.mjs");
    const transport = { type: "stdio" as const, command: process.execPath, args: [server], env: {} };
    const run = await start('@env COLOUR\n@mcp fake ping {"who":"bob"}', {
      env: { COLOUR: "blue" },
      mcpServers: [{ name: "fake", transport }],
      permissions: "allow",
      timeoutMs: 30_000,
      maxTurns: 1,
    });
    const turn = await run.turn();
    expect(said(turn)).toContain("COLOUR=blue");
    expect(turn.items).toContainEqual(
      expect.objectContaining({ tool: expect.objectContaining({ toolName: "mcp__fake__ping", result: "pong bob" }) }),
    );
    expect(await run.info()).toMatchObject({ permissions: "allow" });
  });

  test("a permission is answered by callback; what a policy decides is asked of nobody", async () => {
    const { start } = await begin();
    const asked: string[] = [];
    const run = await start("@permission one\n@permission two", {
      onRequest: (request, of) => {
        if (request.type !== "permission_request") return;
        asked.push(`${of.id}/${request.permissionTitle}`);
        return request.permissionTitle === "one" ? "allow" : "deny";
      },
    });
    expect(said(await run.turn())).toMatch(/one: allow-once.*two: reject-once/s);
    expect(asked).toEqual([`${run.id}/one`, `${run.id}/two`]);
    const decided = await start("@permission three", {
      permissions: "deny",
      onRequest: () => void asked.push("three"),
    });
    await decided.wait();
    expect(asked).toHaveLength(2);
  });

  test("one is answered later, one denied with a reason, a question with a text; who is late is refused", async () => {
    const { start, cox } = await begin();
    const { id } = await start("@permission one\n@permission two\n@question Which? | red | blue");
    const run = cox.run(id); // as another program would have it
    const next = (before?: OpenRequest) =>
      until(async () => (await run.requests()).find((request) => request.pendingId !== before?.pendingId));
    const one = await next();
    await run.answer(one, "always");
    await expect(run.answer(one, "deny")).rejects.toMatchObject({ code: "request.resolved" });
    const two = await next(one);
    await expect(run.answer(two, "nonsense")).rejects.toMatchObject({ code: "usage.invalid" });
    await run.answer(two, "deny", { reason: "use npm" });
    await run.answer(await next(two), "blue");
    expect((await run.turn()).finalResponse).toContain("blue");
    const resolved: RecordedEvent[] = [];
    for await (const event of run.events()) if (event.type === "request_resolved") resolved.push(event);
    expect(resolved).toMatchObject([
      { outcome: "allowed", by: "person" },
      { outcome: "denied", by: "person", reason: "use npm" },
      { outcome: "answered", by: "person" },
    ]);
    expect(await run.requests()).toEqual([]);
  });

  test("a callback that is late is no error; who answered first counts", async () => {
    const { start, cox } = await begin();
    let heard: (request: OpenRequest) => void = () => {};
    const asked = new Promise<OpenRequest>((resolve) => {
      heard = resolve;
    });
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const run = await start("@permission one\n@permission two", {
      onRequest: async (request) => {
        if (request.type === "permission_request" && request.permissionTitle === "two") return "allow";
        heard(request);
        await held;
        return "deny";
      },
    });
    await cox.run(run.id).answer(await asked, "allow");
    release();
    expect(await run.turn()).toMatchObject({ outcome: "completed" });
  });

  test("a run that somebody else started gets an answerer: for what waits, and for what comes, once each", async () => {
    const { start, cox } = await begin();
    const { id } = await start("@permission one\n@permission two\n@permission three");
    const first = await until(async () => (await cox.run(id).requests())[0]);
    await cox.run(id).answer(first, "deny");
    await until(async () => (await cox.run(id).requests()).some(({ pendingId }) => pendingId !== first.pendingId));
    const asked: string[] = [];
    const run = cox.run(id, {
      onRequest: (request) => {
        if (request.type === "permission_request") asked.push(request.permissionTitle);
        return "allow";
      },
    });
    expect(said(await run.turn())).toMatch(/one: reject-once.*two: allow-once.*three: allow-once/s);
    expect(asked).toEqual(["two", "three"]);
  });

  test("a conversation: turns, another model, an interruption, the end; then on in a new run", async () => {
    const { cox, start } = await begin();
    const run = await start("@say hello", { mode: "interactive" });
    expect((await run.turn()).finalResponse).toBe("hello");
    const byNumber = cox.run("r1");
    expect((await byNumber.turn("@say by number")).finalResponse).toBe("by number");
    expect(await byNumber.prompt("@say again")).toBe(byNumber);
    await run.turn("@say after that");
    expect((await run.turn("@model")).finalResponse).toContain("demo-fast");
    await run.setOption("model", "demo-smart");
    expect((await run.turn("@model")).finalResponse).toContain("demo-smart");

    const slow = run.turn("@slow 1000 50");
    for await (const event of run.events()) if (event.type === "message_chunk" && event.text.includes("tick")) break;
    await run.interrupt();
    expect(await slow).toMatchObject({ outcome: "interrupted" });

    await expect(run.turn("@error auth")).rejects.toMatchObject({
      code: "agent.failed",
      details: { category: "auth" },
    });
    await expect(run.resume("now")).rejects.toMatchObject({ code: "run.live" });
    expect(await run.prompt("@say queued")).toBe(run);
    // How a conversation ended is how its last turn did: the one that failed, if this one never came to be.
    let queued = false;
    for await (const event of run.events()) {
      if (event.type === "message_chunk" && event.text.includes("queued")) queued = true;
      if (event.type === "complete" && queued) break;
    }
    const enough = new Error("enough");
    await expect(run.wait({ signal: AbortSignal.abort(enough) })).rejects.toBe(enough);
    await expect(run.events({ signal: AbortSignal.abort(enough) }).next()).rejects.toBe(enough);
    expect(await run.stop()).toMatchObject({ state: "completed" });
    expect(await run.stop()).toMatchObject({ state: "completed" }); // it is what was wanted

    const next = await run.prompt("@memory");
    expect(next.id).not.toBe(run.id);
    expect((await next.turn()).finalResponse).toContain("@say hello");
    expect(await next.info()).toMatchObject({ resumes: run.id, mode: "interactive" });
    // The first one's conversation goes on wherever it is now.
    expect((await run.turn("@model")).finalResponse).toContain("demo-smart");
    expect(await run.prompt("@say there")).toBe(next);
    await next.stop();
    const third = await next.resume("@say third");
    expect((await third.turn()).finalResponse).toBe("third");
    await third.stop();
  });

  test("a branch knows what was said before it", async () => {
    const { start } = await begin();
    const run = await start("@say trunk");
    await run.wait();
    const branch = await run.fork("@memory", { turn: "t1" });
    expect((await branch.turn()).finalResponse).toContain("@say trunk");
    expect(await branch.info()).toMatchObject({ forked_from: run.id });
    await branch.stop();
  });

  test("who answers for a run answers for those that come of it, once", async () => {
    const { start } = await begin();
    const asked: string[] = [];
    const run = await start("@say first", {
      onRequest: (_, of) => {
        asked.push(of.id);
        return "allow";
      },
    });
    await run.wait();
    const next = await run.prompt("@permission one");
    await run.prompt("@say on");
    await next.turn();
    await next.stop();
    expect(asked).toEqual([next.id]);
  });

  test("refusals have names", async () => {
    const { made, cox, start } = await begin();
    await expect(start("hi", { agent: "hal" })).rejects.toMatchObject({ name: "AppError", code: "agent.unknown" });
    await expect(start("hi", { workspace: "here" })).rejects.toMatchObject({ code: "workspace.invalid" });
    await expect(start("hi", { profile: "nobodys" })).rejects.toBeInstanceOf(AppError);
    await expect(cox.run("20200101-0000000000-0000001-0001").info()).rejects.toMatchObject({ code: "run.not_found" });
    expect(await cox.list()).toEqual([]);
    const run = await cox.start({ agent: "demo", workspace: made.workspace, prompt: "@say done" });
    await run.wait();
    await expect(run.interrupt()).rejects.toMatchObject({ code: "run.not_live" });
  });
});

test("a wrong token is refused, and a server that isn't there is named", async () => {
  const made = scene();
  const server = await startServer(made);
  const stranger = coxswain({ url: server.url, token: "wrong" });
  await expect(stranger.list()).rejects.toMatchObject({ code: "auth.required" });
  await expect(stranger.run("20200101-0000000000-0000001-0001").events().next()).rejects.toMatchObject({
    code: "auth.required",
  });
  await server.stop();
  await expect(coxswain({ url: server.url, token: server.token }).list()).rejects.toMatchObject({
    code: "server.not_running",
    message: expect.stringContaining(server.url),
  });
});

test("importing it loads little: no schemas, no protocols, nothing of the command line", async () => {
  const sizes = "Object.keys(require.cache).map((file) => fs.statSync(file).size)";
  const script = `require(${JSON.stringify(join(root, "dist/index.cjs"))}); console.log(JSON.stringify(${sizes}))`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script]);
  const bytes = (JSON.parse(stdout) as number[]).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(100_000);
});

const said = ({ items }: TurnResult): string =>
  items.flatMap((item) => (item.kind === "message" ? [item.text] : [])).join("\n");

async function stopAll(cox: Coxswain): Promise<void> {
  for (const { run_id } of await cox.list({ status: "running" })) await cox.run(run_id).stop();
}
