import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ask as send } from "../../src/lib/http/test-app.ts";
import { startTimeOf } from "../../src/lib/process/holders/identity.ts";
import { finished, type Scene, scene, until } from "../support/cox.ts";
import { type RunningServer, startServer } from "../support/server.ts";

async function serve(made: Scene, args?: readonly string[]): Promise<RunningServer> {
  const server = await startServer(made, args);
  onTestFinished(async () => {
    if (server.child.exitCode === null) await server.stop();
  });
  return server;
}

const get = async (server: RunningServer, path: string) =>
  (await fetch(`${server.url}/api/v1${path}`, { headers: server.headers })).json() as Promise<never>;

async function occupy(port: number): Promise<Server | undefined> {
  const holder = createServer();
  const mine = await new Promise<boolean>((resolve) => {
    holder.on("error", () => resolve(false));
    holder.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (mine) onTestFinished(() => void holder.close());
  return mine ? holder : undefined;
}

const alive = (pid: number) => startTimeOf(pid) !== undefined;

describe("cox serve", () => {
  test("prints one address, says who it is in server.json, and is gone without a trace after SIGTERM", async () => {
    const made = scene();
    const server = await serve(made);
    const file = join(made.home, "server.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ pid: server.pid, url: server.url });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(made.home, "server-token")).mode & 0o777).toBe(0o600);
    expect(await get(server, "/version")).toMatchObject({ home: made.home, scope: "all" });
    const began = performance.now();
    const { code, stdout, stderr } = await server.stop();
    expect(performance.now() - began).toBeLessThan(5000);
    expect([code, stdout.trim().split("\n").length]).toEqual([0, 1]);
    expect(existsSync(file)).toBe(false);
    for (const line of stderr.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("level");
    expect(stderr).not.toContain(server.token);
    expect(stderr).not.toContain(server.key);
  });

  test("counts what it does, and ends its streams when it stops", async () => {
    const made = scene();
    const server = await serve(made);
    const run = (
      await made.cox(["run", "--agent", "demo", "-d", "--permissions", "ask", "@permission Go"])
    ).stdout.trim();
    const stream = await fetch(`${server.url}/api/v1/runs/${run}/stream`, { headers: server.headers });
    const reader = stream.body?.getReader();
    const text = new TextDecoder();
    let seen = "";
    while (!seen.includes("permission_request")) seen += text.decode((await reader?.read())?.value);
    const figures = await (await fetch(`${server.url}/metrics`)).text();
    expect(figures).toMatch(/^cox_stream_clients 1$/m);
    expect(figures).toMatch(/^cox_live_runs 1$/m);
    expect(figures).toMatch(/^cox_open_requests 1$/m);
    expect(Number(/^cox_events_sent_total (\d+)$/m.exec(figures)?.[1])).toBeGreaterThan(3);
    expect(await get(server, "/health")).toMatchObject({ ok: true, live_runs: 1, open_requests: 1, stream_clients: 1 });
    const began = performance.now();
    const { code } = await server.stop();
    expect([code, performance.now() - began < 4000]).toEqual([0, true]);
    while (!(await reader?.read())?.done);
    expect((await made.cox(["stop", run])).code).toBe(0);
  });

  test("opens the hub beside it, with a token of its own", async () => {
    const made = scene();
    Object.assign(made.env, { COOP_MUX_PORT: "0" });
    const server = await serve(made, ["--port", "0", "--hub"]);
    expect(await get(server, "/terminals")).toMatchObject({ hub: true, items: [] });
    expect(existsSync(join(made.home, "hub-token"))).toBe(true);
  });

  test("a second one for the same home names the first", async () => {
    const made = scene();
    const first = await serve(made);
    const { code, stderr } = await made.cox(["serve", "--no-open"]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${first.url} (process ${first.pid})`);
  });

  test("one that was killed leaves its file to the next", async () => {
    const made = scene();
    const first = await serve(made);
    const gone = finished(first.child);
    first.child.kill("SIGKILL");
    await gone;
    expect(existsSync(join(made.home, "server.json"))).toBe(true);
    const second = await serve(made);
    expect(JSON.parse(readFileSync(join(made.home, "server.json"), "utf8"))).toMatchObject({ pid: second.pid });
  });

  test("takes a free port when the usual one is taken, and none when it was told which", async () => {
    const made = scene();
    await occupy(4717); // or somebody else has it: the same for us
    const server = await serve(made, []);
    expect(server.port).not.toBe(4717);
    await server.stop();
    const { code, stderr } = await made.cox(["serve", "--no-open", "--port", "4717"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("127.0.0.1:4717: another program has this port")]);
  });

  test.each([
    [["--host", "0.0.0.0"], "--allow-remote and --allow-host"],
    [["--host", "0.0.0.0", "--allow-remote"], "--allow-host"],
    [["--host", "192.0.2.7", "--allow-host", "box"], "--allow-remote"],
    [["--host", "127.0.0.1.evil.com"], "--allow-remote"],
    [["--allow-host", "a/b"], "not a host name"],
    [["--port", "70000"], "not a port"],
    [["open", "--port", "1"], "--port: no such option"],
    [["open"], "no server runs"],
    [["shut"], "shut: unknown; say start, open"],
  ])("%j is refused", async (args, why) => {
    const { code, stderr } = await scene().cox(["serve", ...args, "--no-open"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(why);
  });

  test("answers to the names it was given", async () => {
    const server = await serve(scene(), ["--port", "0", "--allow-host", "box.example.org"]);
    const ask = async (host: string) => (await send(`${server.url}/healthz`, { headers: { host } })).status;
    expect(await ask("box.example.org")).toBe(200);
    expect(await ask("other.example.org")).toBe(403);
  });

  test.skipIf(process.platform !== "linux")(
    "opens the browser without its key in a command line, where others could read it",
    async () => {
      const made = scene();
      const bin = join(made.folder, "bin");
      mkdirSync(bin);
      const script = `#!/bin/sh\necho "$@" > ${made.folder}/argv\ncat "$1" > ${made.folder}/shown\n`;
      writeFileSync(join(bin, "xdg-open"), script, { mode: 0o755 });
      const env = { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ":9" };
      const child = made.start(["serve", "--port", "0"], { env });
      const ended = finished(child);
      const argv = await until(
        () => existsSync(join(made.folder, "shown")) && readFileSync(join(made.folder, "argv"), "utf8"),
      );
      child.kill("SIGTERM");
      const { stdout } = await ended;
      const key = stdout.trim().split("#key=")[1] ?? "none";
      expect(argv).not.toContain(key);
      expect(readFileSync(join(made.folder, "shown"), "utf8")).toContain(`url=${stdout.trim()}`);
      expect(existsSync(argv.trim())).toBe(false);
    },
  );

  test("lets other machines in only by the names it was given, and warns", async () => {
    const args = ["--port", "0", "--host", "0.0.0.0", "--allow-remote", "--allow-host", "box.lan"];
    const server = await serve(scene(), args);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    const status = async (host: string) => (await send(`${server.url}/healthz`, { headers: { host } })).status;
    expect(await status(`box.lan:${server.port}`)).toBe(200);
    expect(await status(`0.0.0.0:${server.port}`)).toBe(403);
    expect(await status(`other.lan:${server.port}`)).toBe(403);
    expect((await server.stop()).stderr).toContain("without TLS");
  });

  test("`cox serve open` makes a new key for the one that runs", async () => {
    const made = scene();
    const server = await serve(made);
    const { stdout } = await made.cox(["serve", "open", "--no-open"]);
    const key = stdout.trim().split("#key=")[1];
    expect(key).not.toBe(server.key);
    const login = (body: unknown) =>
      fetch(`${server.url}/api/v1/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    expect((await login({ key })).status).toBe(204);
    expect((await login({ key: server.key })).status).toBe(204);
    expect((await login({ key })).status).toBe(401);
  });
});

describe("behind the scenes it", () => {
  test("works off the queue, and stopping it stops no run", async () => {
    const made = scene();
    const server = await serve(made);
    await made.cox(["task", "create", "--task", "slow", "--project", "p", "--agent", "demo", "@sleep 60000"]);
    await made.cox(["queue", "add", "slow"]);
    const info = await until(() => existsSync(join(made.home, "projects/p/slow/runs")) && made.runs()[0]?.info);
    expect((await server.stop()).code).toBe(0);
    expect(alive(info.host_pid)).toBe(true);
    expect(made.runs()[0]?.info?.status).toBe("running");
    expect((await made.cox(["stop", info.run_id])).code).toBe(0);
  });

  test("sends what waits in the outbox", async () => {
    const made = scene();
    const told = join(made.folder, "told.jsonl");
    await made.cox(["config", "set", "notify.command", JSON.stringify(["tee", told])]);
    await serve(made);
    const message = { id: "m1", event: "request", title: "t", text: "look", time: new Date().toISOString() };
    const envelope = { message, channel: "command", attempts: 0, lastError: "" };
    writeFileSync(join(made.home, "outbox", `${Date.now()}-command-m1.json`), JSON.stringify(envelope));
    await until(() => existsSync(told) && readFileSync(told, "utf8").includes("look"));
    await until(() => readdirSync(join(made.home, "outbox")).every((name) => !name.includes("command")));
  });

  test("ends what a killed host left within five seconds", async () => {
    const made = scene();
    const server = await serve(made);
    const { stdout } = await made.cox(["run", "--agent", "demo", "-d", "@sleep 60000"]);
    const runId = made.idOf(stdout);
    const claim = JSON.parse(readFileSync(join(made.home, "hosts", `${runId}.json`), "utf8")) as { pid: number };
    process.kill(claim.pid, "SIGKILL");
    const began = performance.now();
    await until(() => made.runs()[0]?.info?.reason === "host_lost");
    expect(performance.now() - began).toBeLessThan(5000);
    expect(server.child.exitCode).toBeNull();
  });
});

describe("cox token", () => {
  test("makes, lists and revokes what the server takes", async () => {
    const made = scene();
    const server = await serve(made);
    const token = (await made.cox(["token", "new", "ci", "--scope", "read"])).stdout.trim();
    const status = async () =>
      (await fetch(`${server.url}/api/v1/version`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await status()).toBe(200);
    const listed = await made.cox(["token", "ls", "--json"]);
    const { id, name, scope } = JSON.parse(listed.stdout) as Record<string, string>;
    expect([name, scope]).toEqual(["ci", "read"]);
    expect(listed.stdout).not.toContain(token);
    expect((await made.cox(["token", "revoke", id ?? ""])).code).toBe(0);
    expect(await status()).toBe(401);
    expect((await made.cox(["token", "revoke", id ?? ""])).stderr).toContain("there is none with this id");
  });
});
