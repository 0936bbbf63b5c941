import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type HttpClient, httpClient } from "../../src/lib/client/http.ts";
import { type Scene, scene, until } from "../support/cox.ts";
import { startServer } from "../support/server.ts";

interface Stage {
  made: Scene;
  client: HttpClient;
  git: (...args: string[]) => string;
}

/** A server beside a repository with one commit. */
async function stage(): Promise<Stage> {
  const made = scene();
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: made.workspace, env: made.env, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ann");
  git("config", "user.email", "ann@example.com");
  writeFileSync(join(made.workspace, "readme.md"), "hello\n");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  await made.cox(["config", "set", "permissions", "allow"]);
  const server = await startServer(made);
  onTestFinished(async () => void (await server.stop()));
  return { made, git, client: httpClient({ url: server.url, token: server.token }) };
}

async function runTask({ made, client }: Stage, prompt: string, more: { review?: boolean } = {}) {
  const workspace = made.workspace;
  const body = { title: "Try", prompt, project: "shop", agent: "demo", workspace, ...more };
  const { project, task } = await client.call("POST /tasks", { body });
  const { run_id: run } = await client.call("POST /tasks/{project}/{task}/start", {
    params: { project, task },
    body: {},
  });
  const ended = await until(async () => {
    const { task: item } = await client.call("GET /tasks/{project}/{task}", { params: { project, task } });
    return item.live || item.state === "in_progress" ? undefined : item;
  });
  return { project, task, run, ended };
}

const edit = "@run echo hello world > readme.md && mkdir -p src && echo 'let a = 1' > src/a.ts";

describe("a task over HTTP", () => {
  test("is made, started, reviewed, sent back and done; each list shows it", async () => {
    const at = await stage();
    const { client } = at;
    const { project, task, run, ended } = await runTask(at, "@say all done");
    const params = { project, task };
    expect(ended).toMatchObject({ state: "review", run, agent: "demo", last_line: "all done", review: true });
    expect(await client.call("GET /tasks", { query: { project: "shop", text: "try" } })).toMatchObject({
      items: [{ task }],
    });
    expect((await client.call("GET /tasks", { query: { state: "todo" } })).items).toEqual([]);
    expect(await client.call("GET /projects")).toMatchObject({
      items: [{ project: "shop", tasks: { review: 1 }, live: 0 }],
    });
    // One that somebody wrote wrongly hides no other.
    const folder = join(at.made.home, "projects/shop/wrong");
    mkdirSync(folder);
    writeFileSync(join(folder, "task.yaml"), "title: 7\n");
    expect((await client.call("GET /tasks", { query: { project: "shop" } })).items).toMatchObject([{ task }]);
    const wrong = client.call("GET /tasks/{project}/{task}", { params: { project: "shop", task: "wrong" } });
    await expect(wrong).rejects.toMatchObject({ code: "task.invalid" });
    await client.call("DELETE /tasks/{project}/{task}", { params: { project: "shop", task: "wrong" }, query: {} });

    const { run_id: second } = await client.call("POST /tasks/{project}/{task}/send-back", {
      params,
      body: { text: "@say better" },
    });
    expect(second).not.toBe(run);
    await until(async () => {
      const { task: item, runs } = await client.call("GET /tasks/{project}/{task}", { params });
      return item.state === "review" && runs.length === 2 && item.last_line === "better";
    });
    await client.call("POST /tasks/{project}/{task}/done", { params });
    expect((await client.call("GET /tasks/{project}/{task}", { params })).task.state).toBe("done");
    await expect(client.call("POST /tasks/{project}/{task}/done", { params })).rejects.toMatchObject({
      code: "task.state",
    });
    await client.call("DELETE /tasks/{project}/{task}", { params });
    await expect(client.call("GET /tasks/{project}/{task}", { params })).rejects.toMatchObject({
      code: "task.not_found",
    });
  });

  test("without review it is done, and with an error it failed, from where it was", async () => {
    const at = await stage();
    expect((await runTask(at, "@say fine", { review: false })).ended).toMatchObject({ state: "done" });
    expect((await runTask(at, "@error server it broke", { review: false })).ended).toMatchObject({
      state: "failed",
      from_state: "in_progress",
    });
  });

  test("waits in the queue for what it depends on; pages have no gap", async () => {
    const { client, made } = await stage();
    const { workspace } = made;
    const make = (task: string, depends_on: string[] = []) =>
      client.call("POST /tasks", {
        body: { title: task, prompt: "@say x", project: "shop", task, agent: "demo", workspace, depends_on },
      });
    for (const name of ["a", "b", "c"]) await make(name);
    await make("last", ["a"]);
    const item = (await client.call("GET /tasks/{project}/{task}", { params: { project: "shop", task: "last" } })).task;
    expect(item).toMatchObject({ state: "todo", depends_on: ["a"], blocked_by: ["a"] });
    const first = await client.call("GET /tasks", { query: { limit: 2 } });
    const second = await client.call("GET /tasks", { query: { limit: 2, cursor: first.next } });
    expect([...first.items, ...second.items].map(({ task }) => task).sort()).toEqual(["a", "b", "c", "last"]);
    expect(second.next).toBeUndefined();
    await client.call("POST /tasks/{project}/{task}/enqueue", { params: { project: "shop", task: "last" } });
    await until(async () => (await client.call("GET /queue")).items.some(({ task }) => task === "last"));
    await expect(make("last")).rejects.toMatchObject({ code: "task.exists" });
    await expect(make("x", ["nobody"])).rejects.toMatchObject({ code: "dependency.missing" });
  });

  test("its bus is read and written; what moves a task can't be posted", async () => {
    const at = await stage();
    const { project, task } = await runTask(at, "@say x");
    const params = { project, task };
    const { id } = await at.client.call("POST /bus/{project}/{task}", { params, body: { body: "hello" } });
    const { messages } = await at.client.call("GET /bus/{project}/{task}", { params });
    expect(messages.at(-1)).toMatchObject({ id, type: "USER", body: "hello" });
    expect(messages.map(({ type }) => type)).toContain("RUN_START");
    const forged = at.client.call("POST /bus/{project}/{task}", { params, body: { type: "TASK_STATE", body: "done" } });
    await expect(forged).rejects.toMatchObject({ code: "usage.invalid" });
    await expect(at.client.call("GET /bus/{project}", { params: { project: "nobody" } })).rejects.toMatchObject({
      code: "project.unknown",
    });
  });
});

describe("the work of a run over HTTP", () => {
  test("is seen as files and as a diff, whole and by turn", async () => {
    const at = await stage();
    const { client, made } = at;
    const { run } = await runTask(at, edit);
    const params = { run };
    expect(await client.call("GET /runs/{run}/workspace", { params })).toMatchObject({
      exists: true,
      git: true,
      branch: "main",
      worktree: false,
    });
    const { entries } = await client.call("GET /runs/{run}/workspace/tree", { params });
    expect(entries.map(({ name }) => name)).toEqual([".git", "src", "readme.md"]);
    expect(await client.call("GET /runs/{run}/workspace/search", { params, query: { text: "a.t" } })).toEqual({
      paths: ["src/a.ts"],
    });
    const file = await client.open(
      "GET /runs/{run}/workspace/file",
      { params, query: { path: "readme.md" } },
      { headers: { range: "bytes=0-4" } },
    );
    expect([file.status, file.headers.get("content-type"), await file.text()]).toEqual([
      206,
      "text/plain; charset=utf-8",
      "hello",
    ]);
    for (const path of ["../home/server-token", "/etc/passwd"]) {
      await expect(client.open("GET /runs/{run}/workspace/file", { params, query: { path } })).rejects.toMatchObject({
        code: "workspace.invalid",
      });
    }
    const whole = await client.call("GET /runs/{run}/workspace/diff", { params, query: { patches: "true" } });
    expect(whole).toMatchObject({
      added: 2,
      removed: 1,
      files: [
        { path: "readme.md", change: "modify" },
        { path: "src/a.ts", change: "create" },
      ],
    });
    expect(whole.files[0]?.unified).toContain("+hello world");
    const turn = await client.call("GET /runs/{run}/workspace/diff", { params, query: { from: "turn:1" } });
    expect(turn.files.map(({ hash }) => hash)).toEqual(whole.files.map(({ hash }) => hash));
    rmSync(made.workspace, { recursive: true });
    expect(await client.call("GET /runs/{run}/workspace", { params })).toMatchObject({ exists: false });
    await expect(client.call("GET /runs/{run}/workspace/tree", { params })).rejects.toMatchObject({
      code: "workspace.invalid",
    });
  });

  test("a reviewed file stays so until its diff changes; comments go to the agent in one message", async () => {
    const at = await stage();
    const { client, made } = at;
    const { project, task, run } = await runTask(at, edit);
    const params = { run };
    const files = async () => (await client.call("GET /runs/{run}/workspace/diff", { params })).files;
    const [readme] = await files();
    const mark = { path: "readme.md", hash: readme?.hash ?? "", reviewed: true };
    await client.call("PUT /runs/{run}/review/marks", { params, body: mark });
    expect((await files())[0]?.reviewed).toBe(true);
    writeFileSync(join(made.workspace, "readme.md"), "other\n");
    expect((await files())[0]?.reviewed).toBeUndefined();
    const comment = { path: "src/a.ts", line: 1, text: "use const", quote: "let a = 1" };
    const { id } = await client.call("POST /runs/{run}/review/comments", { params, body: comment });
    await client.call("POST /runs/{run}/review/comments", { params, body: { ...comment, text: "twice" } });
    await client.call("DELETE /runs/{run}/review/comments/{comment}", { params: { run, comment: id } });
    const sent = await client.call("POST /runs/{run}/review/send", { params, body: { text: "Almost." } });
    expect(sent.comments).toBe(1);
    expect((await client.call("GET /runs/{run}/review/comments", { params })).items).toEqual([]);
    const told = await until(() => made.runs().find(({ info }) => info?.run_id === sent.run_id));
    expect(readFileSync(join(told.dir, "prompt.md"), "utf8")).toContain("Almost.\n\nsrc/a.ts:1\n> let a = 1\ntwice");
    const { messages } = await client.call("GET /bus/{project}/{task}", { params: { project, task } });
    expect(messages.map(({ type }) => type)).toContain("REVIEW");
    // It asks something by now; its host must be gone before its home is.
    await client.call("POST /runs/{run}/stop", { params: { run: sent.run_id }, body: {} });
    await until(async () => {
      const { end } = await client.call("GET /runs/{run}", { params: { run: sent.run_id } });
      return end !== undefined;
    });
  });

  test("is committed in parts, given up, undone and taken back", async () => {
    const at = await stage();
    const { client, made, git } = at;
    const { run } = await runTask(at, edit);
    const params = { run };
    await client.call("POST /runs/{run}/workspace/stage", { params, body: { paths: ["src/a.ts"] } });
    const diff = await client.call("GET /runs/{run}/workspace/diff", { params });
    expect(diff.files.map(({ staged }) => staged ?? false)).toEqual([false, true]);
    const { commit } = await client.call("POST /runs/{run}/workspace/commit", { params, body: { message: "Add a" } });
    expect(git("show", "--name-only", "--format=%s", commit).trim()).toBe("Add a\n\nsrc/a.ts");
    const gone = await client.call("POST /runs/{run}/workspace/discard", { params, body: { paths: ["readme.md"] } });
    expect(gone).toEqual({ restored: ["readme.md"], deleted: [] });
    expect(readFileSync(join(made.workspace, "readme.md"), "utf8")).toBe("hello\n");
    await client.call("POST /runs/{run}/workspace/undo", { params, body: { to: "redo" } });
    expect(readFileSync(join(made.workspace, "readme.md"), "utf8")).toBe("hello world\n");
    const preview = await client.call("POST /runs/{run}/workspace/undo", { params, body: { to: 0, preview: true } });
    expect(preview.changes.map(({ path }) => path)).toContain("readme.md");
    expect(existsSync(join(made.workspace, "src/a.ts"))).toBe(true);
    await client.call("POST /runs/{run}/workspace/undo", { params, body: { to: 0 } });
    expect(readFileSync(join(made.workspace, "readme.md"), "utf8")).toBe("hello\n");
    const { items } = await client.call("GET /runs/{run}/workspace/checkpoints", { params });
    expect(items.filter(({ kind }) => kind === "turn").map(({ n }) => n)).toEqual([0, 1]);
    const { gh } = await client.call("GET /runs/{run}/workspace", { params });
    if (!gh) {
      const asked = client.call("POST /runs/{run}/workspace/pull-request", { params, body: { title: "x" } });
      await expect(asked).rejects.toThrow(/gh is not on PATH/);
    }
  });

  test("is left alone while an agent is in the middle of it", async () => {
    const { client, made } = await stage();
    const id = (
      await made.cox(["run", "-d", "--agent", "demo", "--permissions", "allow", "--", "@run touch begun\n@hang"])
    ).stdout.trim();
    await until(() => existsSync(join(made.workspace, "begun")));
    const undo = client.call("POST /runs/{run}/workspace/undo", { params: { run: id }, body: { to: 0 } });
    await expect(undo).rejects.toMatchObject({ code: "workspace.busy" });
    await made.cox(["stop", id]);
    await client.call("POST /runs/{run}/workspace/undo", { params: { run: id }, body: { to: 0 } });
    expect(existsSync(join(made.workspace, "begun"))).toBe(false);
  });
});

describe("agents and settings over HTTP", () => {
  test("agents are listed and tried; a command is shown before it runs", async () => {
    const { client, made } = await stage();
    const { items } = await client.call("GET /agents");
    expect(items.find(({ id }) => id === "demo")).toMatchObject({
      installed: true,
      default_model: "demo-fast",
      login: { state: "unknown" },
    });
    expect(await client.call("POST /agents/{agent}/test", { params: { agent: "demo" }, body: {} })).toMatchObject({
      ok: true,
    });
    const preview = await client.call("POST /profiles/preview", {
      body: { agent: "claude", profile: { model: "opus" }, workspace: made.workspace },
    });
    expect(preview.commandline || preview.problem).toMatch(/opus|claude/);
    await expect(client.call("GET /agents/{agent}", { params: { agent: "nobody" } })).rejects.toMatchObject({
      code: "agent.unknown",
    });
  });

  test("profiles are kept, and their secrets not shown", async () => {
    const { client } = await stage();
    const params = { profile: "mine" };
    const body = { agent: "claude", model: "opus", token: "sk-secret", env: { KEY: "value" } };
    const kept = await client.call("PUT /profiles/{profile}", { params, body });
    expect(kept.profile).toMatchObject({ agent: "claude", model: "opus", token: "(hidden)", env: { KEY: "(hidden)" } });
    await client.call("PUT /profiles/{profile}", { params, body: { model: null } });
    const { profile } = await client.call("GET /profiles/{profile}", { params });
    expect(profile.model).toBeUndefined();
    expect((await client.call("GET /profiles")).items.map(({ name }) => name)).toEqual(["mine"]);
    await expect(client.call("PUT /profiles/{profile}", { params, body: { colour: "red" } })).rejects.toThrow(
      /unknown key colour/,
    );
    await client.call("DELETE /profiles/{profile}", { params });
    expect((await client.call("GET /profiles")).items).toEqual([]);
  });

  test("budgets and notifications are set, looked at and removed", async () => {
    const at = await stage();
    const { client } = at;
    await runTask(at, "@say x");
    const params = { project: "shop" };
    const budget = await client.call("PUT /budgets/{project}", {
      params,
      body: { max_turns: 100, since: "2020-01-01" },
    });
    expect(budget).toMatchObject({ project: "shop", limits: { max_turns: 100 }, spent: { turns: 1 }, level: "ok" });
    expect((await client.call("GET /budgets")).items).toHaveLength(1);
    await client.call("DELETE /budgets/{project}", { params });
    expect((await client.call("GET /budgets")).items).toEqual([]);
    await client.call("PUT /notifications/{channel}", {
      params: { channel: "command" },
      body: { on: true, command: "true" },
    });
    const { channels } = await client.call("GET /notifications");
    expect(channels.find(({ channel }) => channel === "command")).toEqual({
      channel: "command",
      on: true,
      detail: "true",
    });
    expect(await client.call("POST /notifications/test")).toEqual({ items: [{ channel: "command", ok: true }] });
    await client.call("PUT /notifications/{channel}", { params: { channel: "command" }, body: { on: false } });
    expect((await client.call("GET /notifications")).channels.every(({ on }) => !on)).toBe(true);
    expect((await client.call("GET /stats")).rows).toMatchObject([
      { agent: "demo", project: "shop", runs: 1, failed: 0 },
    ]);
    expect(await client.call("GET /terminals")).toEqual({ hub: false, items: [] });
    expect(await client.call("GET /cluster")).toMatchObject({ available: false });
  });
});
