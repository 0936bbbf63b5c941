import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import { blankRunInfo, formatRunInfo, type RunInfo } from "../../../contract/runs/run.ts";
import { EventLog } from "../../../core/store/events/event-log.ts";
import { type Home, openHome, runFolder } from "../../../core/store/home.ts";
import { appendLedger, endRecord, startRecord } from "../../../core/store/ledger/ledger.ts";
import { claimRun, releaseRun } from "../../../core/store/runs/claims.ts";
import { giveHandle } from "../../../core/store/runs/handles.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { writeRunInfo } from "../../../core/store/runs/run-info.ts";
import { systemClock } from "../../../lib/base/clock.ts";
import { type HttpClient, httpClient } from "../../../lib/client/http.ts";
import type { ServerPorts } from "../ports.ts";
import { Runs } from "../runs/runs.ts";
import { type TestServer, testServer } from "../test-server.ts";
import { requestHandlers } from "./requests.ts";
import { runHandlers } from "./runs.ts";

let server: TestServer | undefined;
afterEach(() => server?.close());

async function scene(): Promise<{ home: Home; client: HttpClient; server: TestServer }> {
  const home = openHome(temporaryFolder());
  const ports = { home, clock: systemClock } as ServerPorts;
  const runs = new Runs(home);
  server = await testServer({ ...runHandlers(ports, runs), ...requestHandlers(ports, runs) }, { home });
  return { home, server, client: httpClient({ url: server.url, token: server.token }) };
}

let made = 0;
const at = "2026-11-15T09:00:00.000Z";

interface Wishes extends Partial<Omit<RunInfo, "status">> {
  title?: string;
  events?: readonly AgentEvent[];
  live?: boolean;
}

function addRun(home: Home, { title = "a run", events = [], live = false, ...fields }: Wishes = {}) {
  made += 1;
  const run_id = `20261115-0900000000-0000001-${String(made).padStart(4, "0")}`;
  const ending = live ? {} : { status: "completed" as const, exit_code: 0, end_time: at };
  const info: RunInfo = {
    ...blankRunInfo,
    run_id,
    project_id: "p",
    task_id: "t",
    agent: "demo",
    cwd: "/nowhere",
    start_time: at,
    ...fields,
    ...ending,
  };
  const paths = runPaths(runFolder(home, info.project_id, info.task_id, run_id));
  if (live) claimRun(home, run_id, { pid: process.pid, start: "", boot: "", namespace: "", dir: paths.dir });
  mkdirSync(paths.dir, { recursive: true });
  writeRunInfo(paths.info, info);
  appendLedger(home, startRecord(info, title));
  const log = new EventLog(paths.events);
  if (events.length > 0) log.append(events, at);
  log.close();
  if (!live) appendLedger(home, endRecord(info));
  return { run: run_id, paths, info, end: () => releaseRun(home, run_id) };
}

const chunk = (text: string): AgentEvent => ({ type: "message_chunk", messageId: "m", text });

describe("the list", () => {
  test("comes in pages, newest first, each run once, with its end", async () => {
    const { home, client } = await scene();
    const ids = Array.from({ length: 23 }, () => addRun(home).run);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.call("GET /runs", { query: { limit: 5, cursor } });
      seen.push(...page.items.map(({ run_id }) => run_id));
      expect(page.items.every(({ end }) => end?.status === "completed")).toBe(true);
      cursor = page.next;
      addRun(home, { project_id: "later" }); // what comes in front moves nothing
    } while (cursor !== undefined);
    expect(seen).toEqual(ids.toReversed());
  });

  test("is filtered", async () => {
    const { home, client } = await scene();
    const first = addRun(home, { title: "Fix the Login" });
    const child = addRun(home, { parent_run_id: first.run, project_id: "other", agent: "codex" });
    const live = addRun(home, { live: true });
    const find = async (query: Parameters<typeof client.call<"GET /runs">>[1] extends infer C ? C : never) =>
      (await client.call("GET /runs", query)).items.map(({ run_id }) => run_id);
    expect(await find({ query: { text: "login" } })).toEqual([first.run]);
    expect(await find({ query: { parent: first.run } })).toEqual([child.run]);
    expect(await find({ query: { project: "other" } })).toEqual([child.run]);
    expect(await find({ query: { agent: "codex" } })).toEqual([child.run]);
    expect(await find({ query: { status: "running" } })).toEqual([live.run]);
    expect(await find({ query: { since: "2030-01-01" } })).toEqual([]);
    await expect(find({ query: { cursor: "x" } })).rejects.toMatchObject({ code: "usage.invalid" });
    live.end();
  });

  test("of a page further back knows ends that were written later, and what was deleted", async () => {
    const { home, client } = await scene();
    const long = addRun(home, { live: true });
    const gone = addRun(home);
    const newest = addRun(home);
    writeRunInfo(long.paths.info, { ...long.info, status: "failed", reason: "stopped", end_time: at });
    appendLedger(home, { ...endRecord({ ...long.info, reason: "stopped" }), status: "failed" });
    await client.call("DELETE /runs/{run}", { params: { run: gone.run } });
    const first = await client.call("GET /runs", { query: { limit: 1 } });
    expect(first.items[0]?.run_id).toBe(newest.run);
    const second = await client.call("GET /runs", { query: { limit: 5, cursor: first.next } });
    expect(second.items.map(({ run_id, end }) => `${run_id} ${end?.reason}`)).toEqual([`${long.run} stopped`]);
    long.end();
  });
});

describe("one run", () => {
  test("is told as its log has it", async () => {
    const { home, client } = await scene();
    const events: AgentEvent[] = [
      { type: "session_status", status: "new", sessionId: "s", can: ["interrupt"] },
      { type: "config_options", options: [{ id: "model", name: "Model", category: "model", value: "big" }] },
      { type: "commands", commands: [{ name: "memory" }] },
      { type: "turn_started", turn: "t1" },
      ...Array.from({ length: 300 }, (_, i) => chunk(String(i))),
      { type: "context_window", used: 50, size: 200 },
      { type: "prompt_queue", prompts: [{ promptId: "q", content: [{ type: "text", text: "next" }] }] },
      {
        type: "permission_request",
        pendingId: "p0",
        permissionTitle: "ls",
        source: "protocol",
        actionType: "execute",
        actionDetails: { command: "ls" },
        permissionOptions: [],
      },
    ];
    const { run, end } = addRun(home, { events, live: true });
    const child = addRun(home, { parent_run_id: run });
    expect(await client.call("GET /runs/{run}", { params: { run } })).toMatchObject({
      run_id: run,
      phase: "waiting",
      last_seq: events.length,
      can: ["interrupt"],
      options: [{ value: "big" }],
      commands: [{ name: "memory" }],
      context: { used: 50, size: 200, remaining: 150, efficiency: 25 },
      queue: [{ promptId: "q" }],
      open_requests: [{ pending_id: "p0", rule: { kind: "execute", match: "ls" } }],
      children: [{ run_id: child.run }],
    });
    const { items } = await client.call("GET /inbox");
    expect(items).toMatchObject([{ run_id: run, pending_id: "p0" }]);
    const live = client.call("DELETE /runs/{run}", { params: { run } });
    await expect(live).rejects.toMatchObject({ code: "run.live" });
    end();
  });

  test("is found by its number as by its id", async () => {
    const { home, client } = await scene();
    const id = `20261115-0900000000-0000001-${String(made + 1).padStart(4, "0")}`;
    const handle = giveHandle(home, id);
    const { run } = addRun(home, { handle, events: [chunk("hello")] });
    expect(run).toBe(id);
    const params = { run: `r${handle}` };
    expect(await client.call("GET /runs/{run}", { params })).toMatchObject({ run_id: id, handle });
    expect((await client.call("GET /runs/{run}/events", { params })).events).toMatchObject([{ text: "hello" }]);
    expect((await client.call("GET /runs")).items).toMatchObject([{ run_id: id, handle }]);
    await client.call("DELETE /runs/{run}", { params });
    for (const name of [`r${handle}`, "r999"]) {
      const gone = client.call("GET /runs/{run}", { params: { run: name } });
      await expect(gone).rejects.toMatchObject({ code: "run.not_found" });
    }
    const odd = client.call("GET /runs/{run}", { params: { run: "latest" } });
    await expect(odd).rejects.toMatchObject({ code: "http.invalid" });
  });

  test("gives its events by page, from any place", async () => {
    const { home, client } = await scene();
    const { run } = addRun(home, { events: Array.from({ length: 20 }, (_, i) => chunk(String(i + 1))) });
    const page = async (query: object) => {
      const { events, ...range } = await client.call("GET /runs/{run}/events", { params: { run }, query });
      expect(range).toEqual({ first_seq: 1, last_seq: 20 });
      return events.map(({ seq }) => seq);
    };
    expect(await page({ limit: 3 })).toEqual([18, 19, 20]);
    expect(await page({ limit: 3, before: 18 })).toEqual([15, 16, 17]);
    expect(await page({ limit: 5, before: 3 })).toEqual([1, 2]);
    expect(await page({ limit: 3, after: 5 })).toEqual([6, 7, 8]);
    expect(await page({ after: 20 })).toEqual([]);
    expect(await page({ before: 1000, limit: 2 })).toEqual([19, 20]);
  });

  test("has a tree above and below it", async () => {
    const { home, client } = await scene();
    const top = addRun(home);
    const middle = addRun(home, { parent_run_id: top.run });
    const again = addRun(home, { parent_run_id: top.run, previous_run_id: middle.run });
    const leaf = addRun(home, { parent_run_id: middle.run });
    addRun(home);
    const { items } = await client.call("GET /runs/{run}/tree", { params: { run: leaf.run } });
    expect(items.map(({ run_id }) => run_id)).toEqual([top.run, middle.run, again.run, leaf.run]);
  });

  test("gives its files as text to keep, by range, and nothing that a link leads to", async () => {
    const { home, client, server: at } = await scene();
    const { run, paths } = addRun(home);
    writeFileSync(paths.output, "0123456789");
    symlinkSync("/etc/passwd", paths.stdout);
    const get = (file: string, headers: Record<string, string> = {}) =>
      fetch(`${at.url}/api/v1/runs/${run}/files/${file}`, { headers: { ...at.headers, ...headers } });
    const whole = await get("output.md");
    expect(whole.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(whole.headers.get("content-disposition")).toMatch(/^attachment/);
    expect(whole.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await whole.text()).toBe("0123456789");
    const part = await get("output.md", { range: "bytes=2-4" });
    expect([part.status, await part.text(), part.headers.get("content-range")]).toEqual([206, "234", "bytes 2-4/10"]);
    expect(await (await get("output.md", { range: "bytes=-3" })).text()).toBe("789");
    expect((await get("output.md", { range: "bytes=10-" })).status).toBe(416);
    expect((await get("agent-stdout.txt")).status).toBe(404);
    expect((await get("task.yaml")).status).toBe(400);
    expect((await get("..%2Frun-info.yaml")).status).toBe(400);
    const blob = client.open("GET /runs/{run}/blobs/{sha256}", { params: { run, sha256: "a".repeat(64) } });
    await expect(blob).rejects.toMatchObject({ code: "file.not_found" });
  });
});

describe("an attachment", () => {
  test("is kept under its hash, with its type", async () => {
    const { home, server: at } = await scene();
    const bytes = Buffer.from([1, 2, 3]);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const send = (body: Buffer<ArrayBuffer>, type: string) =>
      fetch(`${at.url}/api/v1/attachments?name=a.png`, {
        method: "POST",
        headers: { ...at.headers, "content-type": type },
        body,
      });
    const answer = await send(bytes, "image/png");
    expect(await answer.json()).toEqual({ type: "image", mimeType: "image/png", sha256, name: "a.png" });
    expect(readFileSync(join(home.root, "attachments", sha256))).toEqual(bytes);
    expect((await send(Buffer.alloc(10 * 1024 * 1024 + 1), "image/png")).status).toBe(413);
    expect(await (await send(bytes, "application/pdf")).json()).toMatchObject({ type: "file" });
  });
});

describe("a run made elsewhere", () => {
  const run_id = "20251231-2359590000-0000042-0001";
  const info = { ...blankRunInfo, run_id, project_id: "x", status: "completed" as const, end_time: at, pid: 77 };
  const events = `\n${JSON.stringify({ seq: 5, at, type: "session_status", status: "closed", reason: "done" })}\r\n`;
  const files = { "run-info.yaml": formatRunInfo(info), "events.jsonl": events, "output.md": "hello" };
  const body = { run_id, project: "p", task: "t", title: "From afar", files };

  test("is taken over as a whole, once", async () => {
    const { home, client } = await scene();
    await client.call("POST /runs/import", { body });
    expect(await client.call("GET /runs/{run}", { params: { run: run_id } })).toMatchObject({
      project: "p",
      task: "t",
      pid: 0,
      process_ownership: "external",
      title: "From afar",
      last_seq: 1,
      phase: "closed",
    });
    const { items } = await client.call("GET /runs");
    expect(items).toMatchObject([{ run_id, title: "From afar", end: { status: "completed" } }]);
    await expect(client.call("POST /runs/import", { body })).rejects.toMatchObject({ code: "run.exists" });
    expect(existsSync(join(home.root, "projects/p/t/TASK-MESSAGE-BUS.md"))).toBe(true);
  });

  test("whose import was cut off before anybody knew of it is completed by the next", async () => {
    const { home, client } = await scene();
    const { dir, info: infoPath } = runPaths(runFolder(home, "p", "t", run_id));
    mkdirSync(dir, { recursive: true });
    writeFileSync(home.ledger, "");
    writeRunInfo(infoPath, { ...info, project_id: "p", task_id: "t", process_ownership: "external" });
    await client.call("POST /runs/import", { body });
    expect((await client.call("GET /runs")).items).toHaveLength(1);
  });

  test("leaves nothing of an import that was killed in the middle, once somebody asks again", async () => {
    const { home, client } = await scene();
    const runs = join(home.root, "projects/p/t/runs");
    mkdirSync(join(runs, ".import-x"), { recursive: true });
    writeFileSync(join(runs, ".import-x", "events.jsonl"), "half");
    await client.call("POST /runs/import", { body });
    expect(readdirSync(runs)).toEqual([run_id]);
  });

  test("never takes the place of one that is live, or that is known elsewhere", async () => {
    const { home, client } = await scene();
    const live = addRun(home, { live: true });
    const ledger = readFileSync(home.ledger, "utf8");
    const as = (id: string, task: string) => {
      const given = { ...files, "run-info.yaml": formatRunInfo({ ...info, run_id: id }) };
      return client.call("POST /runs/import", { body: { ...body, run_id: id, task, files: given } });
    };
    await expect(as(live.run, "t")).rejects.toMatchObject({ code: "run.exists" });
    live.end(); // its host was lost, and nobody has completed its record yet
    await expect(as(live.run, "t")).rejects.toMatchObject({ code: "run.exists" });
    await expect(as(addRun(home).run, "elsewhere")).rejects.toMatchObject({ code: "run.exists" });
    expect(readFileSync(home.ledger, "utf8").startsWith(ledger)).toBe(true);
    expect(readFileSync(home.ledger, "utf8")).not.toContain(`"end","run_id":"${live.run}"`);
    expect(existsSync(join(home.root, "projects/p/elsewhere"))).toBe(false);
  });

  test.each([
    ["no run-info", { "events.jsonl": events }],
    ["no events", { "run-info.yaml": formatRunInfo(info) }],
    ["another run's", { ...files, "run-info.yaml": formatRunInfo({ ...info, run_id: `${run_id}9` }) }],
    ["still running", { ...files, "run-info.yaml": formatRunInfo({ ...info, status: "running" }) }],
    ["no events in it", { ...files, "events.jsonl": "hello" }],
  ])("that is none is refused, and leaves nothing: %s", async (_, given) => {
    const { home, client } = await scene();
    const refused = client.call("POST /runs/import", { body: { ...body, files: given } });
    await expect(refused).rejects.toMatchObject({ code: "usage.invalid" });
    expect(existsSync(join(home.root, "projects"))).toBe(false);
  });
});
