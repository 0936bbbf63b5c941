import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpClient, httpClient } from "../../src/lib/client/http.ts";
import { Scene, scene, until } from "../support/cox.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { Conversation, text } from "../support/talk.ts";

let made: Scene;
let server: RunningServer;
let client: HttpClient;

beforeAll(async () => {
  made = new Scene();
  server = await startServer(made);
  client = httpClient({ url: server.url, token: server.token });
});
afterAll(async () => {
  await server.stop();
  await made.close();
});

const start = (prompt: string, more: object = {}) =>
  Conversation.start(client, { prompt, agent: "demo", project: "shop", workspace: made.workspace, ...more });
const alive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("turns", () => {
  test("a conversation: prompt, stream, follow-up, stop", async () => {
    const talk = await start("@say one");
    await talk.untilType("complete");
    expect(talk.said()).toBe("one");
    await talk.turn("@memory");
    expect(talk.said()).toContain("@say one");
    expect(await talk.detail()).toMatchObject({ phase: "idle", resumable: { ok: true } });
    await talk.stop();
    expect(await talk.detail()).toMatchObject({ phase: "closed", state: "completed" });
  });

  test("prompts wait their turn, and can be put in another order, changed and taken back", async () => {
    const talk = await start("@slow 100 50");
    await talk.untilType("message_chunk");
    for (const id of ["a", "b", "c"]) await talk.prompt(`@say ${id}`, { prompt_id: id });
    expect((await talk.detail()).queue.map(({ promptId }) => promptId)).toEqual(["a", "b", "c"]);
    const edited = { prompt_id: "a", content: text("@say changed") };
    await client.call("PUT /runs/{run}/queue", {
      params: { run: talk.run },
      body: { prompt_ids: ["c", "a"], edited },
    });
    const from = talk.events.length;
    await client.call("POST /runs/{run}/interrupt", { params: { run: talk.run }, body: {} });
    await talk.until((event) => event.type === "message_chunk" && event.text === "changed");
    await talk.until((event) => event.type === "complete" && event.outcome === "completed", talk.events.length - 1);
    expect(talk.said(from)).toMatch(/cchanged$/);
    const gone = client.call("PUT /runs/{run}/queue", { params: { run: talk.run }, body: { prompt_ids: ["b"] } });
    await expect(gone).rejects.toMatchObject({ code: "request.not_found" });
    await talk.stop();
  });

  test("an agent that ignores an interruption is released within 3 s, and its late end ends nothing", async () => {
    const talk = await start("@hang");
    await talk.untilType("turn_started");
    const began = performance.now();
    await client.call("POST /runs/{run}/interrupt", { params: { run: talk.run }, body: {} });
    expect(await talk.untilType("complete")).toMatchObject({ outcome: "interrupted" });
    expect(performance.now() - began).toBeLessThan(10_000);
    expect((await talk.detail()).phase).toBe("idle");
    await talk.stop();
  });

  test("a crash in a turn leaves the task for review, with the reason", async () => {
    const talk = await start("@crash 3");
    const events = await talk.ended();
    expect(events.find(({ type }) => type === "complete")).toMatchObject({ outcome: "failed" });
    const { project, task: name, end } = await talk.detail();
    expect(end).toMatchObject({ status: "failed", reason: "exit_code", exit_code: 3 });
    const params = { project, task: name };
    await until(async () => (await client.call("GET /tasks/{project}/{task}", { params })).task.state === "review");
    const { task } = await client.call("GET /tasks/{project}/{task}", { params });
    expect(task.reason).toContain("3");
  });
});

test("49 a turn in which nothing is said ends all the same", async () => {
  const talk = await start("@sleep 1");
  expect(await talk.untilType("complete")).toMatchObject({ outcome: "completed" });
  expect(talk.said()).toBe("");
  await talk.stop();
});

describe("requests", () => {
  test("are in the inbox, answered once, and the second is told by whom and when", async () => {
    const talk = await start("@permission May I?");
    const { pendingId } = await talk.untilType("permission_request");
    const { items } = await client.call("GET /inbox");
    expect(items.find(({ run_id }) => run_id === talk.run)).toMatchObject({ pending_id: pendingId, agent: "demo" });
    expect((await talk.detail()).phase).toBe("waiting");
    await talk.answer(pendingId, "allow-once");
    await talk.untilType("complete");
    await expect(talk.answer(pendingId, "reject-once")).rejects.toMatchObject({
      code: "request.resolved",
      details: { by: "person", outcome: "allowed", at: expect.any(String), who: expect.stringMatching(/@/) },
    });
    const missing = talk.answer("p99", "allow-once");
    await expect(missing).rejects.toMatchObject({ code: "request.not_found" });
    const { items: audit } = await client.call("GET /audit");
    expect(audit.find(({ run }) => run === talk.run)).toMatchObject({
      what: "request.resolved",
      data: { request: pendingId, outcome: "allowed", by: "person" },
    });
    await talk.stop();
  });

  test("two at once are answered in any order; a question is answered with words", async () => {
    const talk = await start("@permissions 2");
    await talk.until(() => talk.events.filter(({ type }) => type === "permission_request").length === 2);
    const ids = talk.events.flatMap((event) => (event.type === "permission_request" ? [event.pendingId] : []));
    for (const id of ids.toReversed()) await talk.answer(id, "allow-once");
    await talk.untilType("complete");
    await talk.prompt("@question Which? | red | blue");
    const { pendingId, questions } = await talk.untilType("question_request");
    const params = { run: talk.run, pending: pendingId };
    const answers = { [questions[0]?.id ?? ""]: ["blue"] };
    await client.call("POST /runs/{run}/requests/{pending}", { params, body: { answer: { answers } } });
    await talk.until((event) => event.type === "message_chunk" && event.text.includes("blue"));
    await talk.stop();
  });

  test("a rule decides for exactly the same action, in its project, until it is revoked", async () => {
    const talk = await start("@run echo yes");
    const { pendingId } = await talk.untilType("permission_request");
    const { open_requests } = await talk.detail();
    expect(open_requests[0]?.rule).toEqual({ kind: "execute", match: "echo yes", project: "shop", agent: "" });
    await talk.answer(pendingId, "allow-once", "allow");
    await talk.untilType("complete");
    const other = await start("@run echo yes");
    const resolved = await other.untilType("request_resolved");
    expect(resolved).toMatchObject({ by: "rule", outcome: "allowed" });
    // Whatever is added makes it another action.
    await other.prompt("@run echo yes; id");
    const asked = await other.until(
      (event) => event.type === "permission_request" && event.actionDetails.command === "echo yes; id",
    );
    if (asked.type === "permission_request") await other.answer(asked.pendingId, "reject-once");
    const { items } = await client.call("GET /rules");
    const rule = items.find(({ match }) => match === "echo yes");
    expect(rule).toMatchObject({ decision: "allow", project: "shop", by: expect.stringMatching(/@/) });
    const elsewhere = await start("@run echo yes", { project: "other" });
    await elsewhere.untilType("permission_request");
    await client.call("DELETE /rules/{rule}", { params: { rule: rule?.id ?? "" } });
    const again = await start("@run echo yes");
    await again.untilType("permission_request");
    expect((await again.detail()).phase).toBe("waiting");
    for (const one of [talk, other, elsewhere, again]) await one.stop();
  });

  test("46 an agent that goes while somebody is asked takes the question with it", async () => {
    const talk = await start("@permission May I?");
    const { pendingId } = await talk.untilType("permission_request");
    process.kill((await talk.detail()).pid, "SIGKILL");
    await talk.ended();
    const { items } = await client.call("GET /inbox");
    expect(items.filter(({ run_id }) => run_id === talk.run)).toEqual([]);
    const late = talk.answer(pendingId, "allow-once");
    await expect(late).rejects.toMatchObject({ code: "request.resolved", details: { outcome: "cancelled" } });
    expect(talk.events.filter(({ type }) => type === "complete")).toMatchObject([{ outcome: "failed" }]);
  });

  test("of a run that was interrupted is cancelled, and says so", async () => {
    const talk = await start("@permission May I?");
    const { pendingId } = await talk.untilType("permission_request");
    await client.call("POST /runs/{run}/interrupt", { params: { run: talk.run }, body: {} });
    await talk.untilType("complete");
    const late = talk.answer(pendingId, "allow-once");
    await expect(late).rejects.toMatchObject({ code: "request.resolved", details: { outcome: "cancelled" } });
    await talk.stop();
  });
});

describe("going on", () => {
  test("a closed session goes on at the next prompt, with the same folder, policy, model and mode", async () => {
    const talk = await start("@say one", { permissions: "deny" });
    await talk.untilType("complete");
    for (const [option, value] of [
      ["model", "demo-smart"],
      ["mode", "accept-edits"],
    ] as const) {
      await client.call("PUT /runs/{run}/options/{option}", { params: { run: talk.run, option }, body: { value } });
    }
    await talk.stop();
    const { run_id, resumed } = await talk.prompt("@model\n@mode\n@pwd\n@memory");
    expect(resumed).toBe(true);
    const next = new Conversation(client, run_id);
    await next.untilType("complete");
    expect(next.events.find(({ type }) => type === "session_status")).toMatchObject({ status: "resumed" });
    for (const word of ["demo-smart", "accept-edits", made.workspace, "@say one"]) expect(next.said()).toContain(word);
    expect(await next.detail()).toMatchObject({ permissions: "deny", resumes: talk.run });
    expect((await talk.detail()).next).toBe(run_id);
    // A prompt to the old run finds the new one.
    expect(await talk.prompt("@say two")).toMatchObject({ run_id, resumed: false });
    await next.stop();
  });

  test("many prompts at once to a closed session make one process", async () => {
    const talk = await start("@say one");
    await talk.untilType("complete");
    await talk.stop();
    const words = ["a", "b", "c", "d", "e"];
    const sent = await Promise.all(words.map((word) => talk.prompt(`@say ${word}`)));
    expect(new Set(sent.map(({ run_id }) => run_id)).size).toBe(1);
    expect(sent.filter(({ resumed }) => resumed)).toHaveLength(1);
    const next = new Conversation(client, sent[0]?.run_id ?? "");
    await next.until(() => next.events.filter(({ type }) => type === "complete").length === words.length);
    expect(next.said().split("").toSorted()).toEqual(words);
    await next.stop();
  });

  test("a second process that wants the same conversation is refused", async () => {
    const talk = await start("@say one");
    await talk.untilType("complete");
    await talk.stop();
    const resume = () => made.cox(["run", "-d", "--json", "--resume", talk.run, "@sleep 300"]);
    const both = await Promise.all([resume(), resume()]);
    expect(both.map(({ code }) => String(code)).toSorted()).toEqual(["0", "1"]);
    expect(both.find(({ code }) => code === 1)?.stderr).toContain("goes on with this conversation already");
    await until(async () => {
      const { items } = await client.call("GET /runs", { query: { limit: 1 } });
      return items[0]?.end;
    });
  });

  test("prompts that waited when the host was lost wait again, behind the next one", async () => {
    const talk = await start("@slow 100 50");
    await talk.untilType("message_chunk");
    await talk.prompt("@say waiting", { prompt_id: "w1" });
    const { host_pid, pid } = await talk.detail();
    process.kill(host_pid, "SIGKILL");
    await talk.ended();
    expect(await talk.detail()).toMatchObject({ reason: "host_lost", queue: [{ promptId: "w1" }] });
    await until(() => !alive(pid));
    const { run_id } = await talk.prompt("@say now");
    const next = new Conversation(client, run_id);
    await next.until(() => next.events.filter(({ type }) => type === "complete").length === 2);
    expect(next.said()).toBe("nowwaiting");
    await next.stop();
  });

  test("a branch goes on from an earlier turn, and the conversation itself stays", async () => {
    const talk = await start("@say one");
    const { turn } = await talk.untilType("complete");
    await talk.turn("@say two");
    const { run_id: run } = await client.call("POST /runs/{run}/fork", {
      params: { run: talk.run },
      body: { turn, content: text("@say branch") },
    });
    const branch = new Conversation(client, run);
    await branch.untilType("complete");
    expect(await branch.detail()).toMatchObject({ forked_from: talk.run, resumes: "" });
    const told = readFileSync((await branch.detail()).prompt_path, "utf8");
    expect(told).toContain("@say one");
    expect(told).not.toContain("@say two");
    expect((await talk.detail()).next).toBeUndefined();
    await branch.stop();
    await talk.stop();
  });

  test("a deleted profile is a choice, not an end", async () => {
    await made.cox(["profile", "set", "mine", "--agent", "demo"]);
    const talk = await start("@say one", { agent: undefined, profile: "mine" });
    await talk.untilType("complete");
    await talk.stop();
    await made.cox(["profile", "rm", "mine"]);
    expect((await talk.detail()).resumable).toEqual({
      ok: false,
      why: "profile mine was deleted",
      choices: ["no_profile"],
    });
    const refused = talk.prompt("@say two");
    await expect(refused).rejects.toMatchObject({ code: "run.not_resumable", details: { choices: ["no_profile"] } });
    const { run_id } = await client.call("POST /runs/{run}/prompts", {
      params: { run: talk.run },
      body: { content: text("@memory"), choice: "no_profile" },
    });
    const next = new Conversation(client, run_id);
    await next.untilType("complete");
    expect(next.said()).toContain("@say one");
    await next.stop();
  });

  test("55 going on sends only what was asked now; 56 a deleted folder is a choice, not an end", async () => {
    const workspace = join(made.folder, "passing");
    mkdirSync(workspace);
    const talk = await start("@say one", { workspace });
    await talk.untilType("complete");
    await talk.stop();
    rmSync(workspace, { recursive: true });
    const { resumable } = await talk.detail();
    expect(resumable).toMatchObject({ ok: false, choices: ["folder"] });
    await expect(talk.prompt("@say two")).rejects.toMatchObject({ code: "run.not_resumable" });
    const { run_id } = await client.call("POST /runs/{run}/prompts", {
      params: { run: talk.run },
      body: { content: text("@pwd"), choice: "folder" },
    });
    const next = new Conversation(client, run_id);
    await next.untilType("complete");
    expect(next.said()).toContain(workspace);
    const sent = next.events.flatMap((event) => (event.type === "user_message" ? [event.content] : []));
    expect(sent).toEqual([text("@pwd")]);
    await next.stop();
  });

  test("a conversation that the agent doesn't have any more goes on in a new one, which is told what was said", async () => {
    const talk = await start("@say one");
    await talk.untilType("complete");
    await talk.stop();
    const { session_id } = await talk.detail();
    const files = readdirSync(made.folder, { recursive: true, encoding: "utf8" });
    for (const file of files.filter((name) => name.includes(session_id))) rmSync(join(made.folder, file));
    const next = new Conversation(client, (await talk.prompt("@say two")).run_id);
    await next.untilType("complete");
    expect(next.events.find(({ type }) => type === "notice")).toMatchObject({ code: "conversation_lost" });
    const opened = next.events.find(({ type }) => type === "session_status");
    expect(opened).toMatchObject({ status: "resumed", resumedBy: "context" });
    expect(next.said()).toBe("two");
    await next.stop();
  });

  test("what is attached to a prompt becomes the run's own", async () => {
    const response = await fetch(`${server.url}/api/v1/attachments?name=a.png`, {
      method: "POST",
      headers: { ...server.headers, "content-type": "image/png" },
      body: Buffer.from("not really a picture"),
    });
    const picture = (await response.json()) as { type: "image"; mimeType: string; sha256: string; name: string };
    const talk = await start("@say ready");
    await talk.untilType("complete");
    const prompt = (content: object[]) =>
      client.call("POST /runs/{run}/prompts", { params: { run: talk.run }, body: { content: content as never } });
    const from = talk.events.length;
    await prompt([...text("@image"), picture]);
    await talk.untilType("complete", from);
    expect(talk.said(from)).toContain("1");
    const blob = await client.open("GET /runs/{run}/blobs/{sha256}", {
      params: { run: talk.run, sha256: picture.sha256 },
    });
    expect(await blob.text()).toBe("not really a picture");
    const unknown = prompt([...text("@image"), { ...picture, sha256: "0".repeat(64) }]);
    await expect(unknown).rejects.toMatchObject({ code: "usage.invalid" });
    const many = prompt([...text("@image"), ...Array.from({ length: 11 }, () => picture)]);
    await expect(many).rejects.toMatchObject({ code: "usage.invalid" });
    await talk.stop();
  });

  test("a session nobody talks to closes by itself, and goes on when somebody does", async () => {
    const idle = scene();
    await idle.cox(["config", "set", "session.idle_close", "1"]);
    const serving = await startServer(idle);
    const api = httpClient({ url: serving.url, token: serving.token });
    const talk = await Conversation.start(api, { prompt: "@say one", agent: "demo", workspace: idle.workspace });
    const events = await talk.ended();
    expect(events.at(-1)).toMatchObject({ status: "closed" });
    expect((await talk.detail()).state).toBe("completed");
    const next = new Conversation(api, (await talk.prompt("@memory")).run_id);
    await next.untilType("complete");
    expect(next.said()).toContain("@say one");
    await next.ended();
    await serving.stop();
  });
});
