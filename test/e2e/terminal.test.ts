import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { startTimeOf } from "../../src/lib/process/holders/identity.ts";
import { type Scene, scene, until } from "../support/cox.ts";
import { ask, startTerminal } from "../support/terminal-host.ts";

/** A host as a program would use it that was written for the original: the same requests, the same answers. */
const start = (place: Scene, command: readonly string[], flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
  startTerminal({ cwd: place.workspace, env: { ...place.env, ...env }, flags: ["--port", "0", ...flags], command });

const sh = (script: string) => ["sh", "-c", script];

/** Says what its hooks are given. */
const AGENT = sh('echo "hook token: $COOP_HOOK_TOKEN."; exec cat');
const hookToken = async (host: Awaited<ReturnType<typeof start>>): Promise<string> =>
  /hook token: (\S+)\./.exec(await host.shows(/hook token: \S+\./))?.[1] ?? "";
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("health, on the main port without a token", async () => {
  const host = await start(scene(), ["cat"], ["--cols", "100", "--rows", "30"]);
  const { status, json } = await host.get("/api/v1/health", { token: "" });
  expect(status).toBe(200);
  expect(json).toEqual({
    status: "running",
    session_id: host.sessionId,
    pid: expect.any(Number),
    uptime_secs: expect.any(Number),
    agent: "unknown",
    terminal: { cols: 100, rows: 30 },
    terminal_cols: 100,
    terminal_rows: 30,
    ws_clients: 0,
    ready: false,
  });
  const pid = await until(async () => {
    const { json: health } = await host.get("/api/v1/health");
    return readFileSync(`/proc/${health.pid}/comm`, "utf8") === "cat\n" && health.pid;
  });
  expect((await host.get("/api/v1/livez", { token: "" })).json).toMatchObject({ status: "alive", pid });
  expect(await host.get("/api/v1/ready", { token: "" })).toMatchObject({ status: 503, json: { ready: false } });
});

test("the screen shows what was printed, and the output has its bytes", async () => {
  const host = await start(scene(), sh("printf '\\033[31mred\\033[0m and plain\\n'; exec sleep 60"));
  await host.shows(/red and plain/);
  const { json } = await host.get("/api/v1/screen?cursor=true");
  expect(json).toMatchObject({ cols: 200, rows: 50, alt_screen: false, cursor: { row: 1, col: 0 } });
  expect(json.lines).toHaveLength(50);
  expect(json.lines.slice(0, 2)).toEqual(["red and plain", ""]);
  expect(json.ansi[0]).toBe("\x1b[31mred\x1b[0m and plain");
  expect((await host.get("/api/v1/screen")).json.cursor).toBeNull();
  const { json: output } = await host.get("/api/v1/output?offset=0");
  const bytes = Buffer.from(output.data, "base64").toString();
  expect(bytes).toBe("\x1b[31mred\x1b[0m and plain\r\n");
  expect(output).toMatchObject({ offset: 0, next_offset: bytes.length, total_written: bytes.length });
  const { json: part } = await host.get("/api/v1/output?offset=5&limit=3");
  expect([Buffer.from(part.data, "base64").toString(), part.next_offset]).toEqual(["red", 8]);
  expect((await host.get("/api/v1/status")).json).toMatchObject({
    session_id: host.sessionId,
    exit_code: null,
    bytes_read: bytes.length,
    bytes_written: 0,
  });
});

test("what is typed arrives: text, bytes and keys", async () => {
  const host = await start(scene(), ["cat"]);
  expect((await host.post("/api/v1/input", { text: "hello", enter: true })).json).toEqual({ bytes_written: 6 });
  await host.shows(/^hello\nhello$/m);
  const data = Buffer.from("räw\n").toString("base64");
  expect((await host.post("/api/v1/input/raw", { data })).json).toEqual({ bytes_written: 5 });
  await host.shows(/^räw\nräw$/m);
  expect((await host.post("/api/v1/input/keys", { keys: ["a", "b"] })).json.error.message).toBe("unknown key: a");
  expect((await host.post("/api/v1/input/keys", { keys: ["Ctrl-D"] })).json).toEqual({ bytes_written: 1 });
  await host.agent(({ state }) => state === "exited");
  expect(await host.post("/api/v1/input", { text: "x" })).toMatchObject({
    status: 410,
    json: { error: { code: "EXITED" } },
  });
  expect((await host.get("/api/v1/status")).json).toMatchObject({ state: "exited", exit_code: 0, pid: null });
  expect((await host.stop()).code).toBe(0);
});

test.each([
  ["not base64", "input/raw", { data: "!!" }, "invalid base64 data"],
  ["no size", "resize", { cols: 0, rows: 5 }, "cols"],
  ["no such signal", "signal", { signal: "SIGNOPE" }, "unknown signal: SIGNOPE"],
  ["no text", "input", {}, "text"],
])("refuses %s", async (_, path, body, words) => {
  const host = await start(scene(), ["cat"]);
  const { status, json } = await host.post(`/api/v1/${path}`, body);
  expect([status, json.error.code]).toEqual([400, "BAD_REQUEST"]);
  expect(json.error.message).toContain(words);
});

test("a body that is no JSON, or not called so, is refused", async () => {
  const host = await start(scene(), ["cat"]);
  expect((await host.post("/api/v1/input", undefined, { raw: "{" })).status).toBe(400);
  const plain = { raw: "{}", headers: { "content-type": "text/plain" } };
  expect((await host.post("/api/v1/input", undefined, plain)).status).toBe(415);
});

test("resize and signals reach the program", async () => {
  const host = await start(
    scene(),
    sh("trap 'stty size' WINCH; trap 'echo got usr1' USR1; echo up; while :; do sleep 0.05; done"),
  );
  await host.shows(/up/);
  expect((await host.post("/api/v1/resize", { cols: 90, rows: 20 })).json).toEqual({ cols: 90, rows: 20 });
  await host.shows(/20 90/);
  expect((await host.get("/api/v1/screen")).json.lines).toHaveLength(20);
  expect((await host.post("/api/v1/signal", { signal: "usr1" })).json).toEqual({ delivered: true });
  await host.shows(/got usr1/);
  expect((await host.post("/api/v1/signal", { signal: 9 })).status).toBe(200);
  await host.agent(({ state }) => state === "exited");
  expect((await host.get("/api/v1/status")).json.exit_code).toBe(137);
});

test("after the program's end the host still answers, and shuts down with its code", async () => {
  const host = await start(scene(), sh("echo last words; exit 7"));
  await host.agent(({ state }) => state === "exited");
  await host.shows(/last words/);
  expect((await host.post("/api/v1/shutdown")).json).toEqual({ accepted: true });
  expect((await host.ended).code).toBe(7);
});

test("shutdown ends the program, however unwilling", async () => {
  const env = { COOP_SHUTDOWN_TIMEOUT_MS: "1000", COOP_DRAIN_TIMEOUT_MS: "1000" };
  const host = await start(scene(), sh("trap '' HUP TERM INT; echo deaf; while :; do sleep 0.1; done"), [], env);
  await host.shows(/deaf/);
  const { json: health } = await host.get("/api/v1/health");
  const began = performance.now();
  await host.post("/api/v1/shutdown");
  await host.ended;
  expect(performance.now() - began).toBeLessThan(8000);
  expect(startTimeOf(health.pid)).toBeUndefined();
});

test("a second SIGTERM doesn't wait", async () => {
  const host = await start(scene(), sh("trap '' HUP TERM INT; echo deaf; while :; do sleep 0.1; done"));
  await host.shows(/deaf/);
  host.child.kill("SIGTERM");
  await later(200);
  const began = performance.now();
  host.child.kill("SIGTERM");
  expect((await host.ended).code).toBe(130);
  expect(performance.now() - began).toBeLessThan(3000);
});

test("a nudge before it is ready, and for a program nobody knows", async () => {
  const host = await start(scene(), sh("read line; echo $line; exec cat"));
  const early = await host.post("/api/v1/agent/nudge", { message: "hi" });
  expect([early.status, early.json.error.code]).toEqual([503, "NOT_READY"]);
  await host.post("/api/v1/input", { text: "go", enter: true });
  await host.agent(({ state }) => state !== "starting");
  const late = await host.post("/api/v1/agent/nudge", { message: "hi" });
  expect([late.status, late.json.error.code]).toEqual([404, "NO_DRIVER"]);
});

test("a program with patterns is known: it idles, takes a nudge, asks, and is answered", async () => {
  const patterns = {
    prompt_pattern: "^you> $|^you>$",
    permission_patterns: ["\\[y/n\\]"],
    working_patterns: ["^thinking"],
  };
  const script = `printf 'you> '; while read line; do echo thinking; sleep 0.2; printf '\\033[2J\\033[H'; printf "delete $line? [y/n] "; read yes; echo "it is $yes"; printf 'you> '; done`;
  const host = await start(scene(), sh(script), ["--agent-config", JSON.stringify(patterns)]);
  await host.agent(({ state }) => state === "idle");
  expect((await host.post("/api/v1/agent/nudge", { message: "all" })).json).toEqual({
    delivered: true,
    state_before: "idle",
  });
  const { prompt } = await host.agent(({ state }) => state === "prompt");
  expect(prompt).toMatchObject({ type: "permission", input: "delete all? [y/n]", ready: true });
  expect((await host.post("/api/v1/agent/respond", { text: "y" })).json.delivered).toBe(true);
  await host.shows(/it is y/);
  await host.agent(({ state }) => state === "idle");
  const nothing = await host.post("/api/v1/agent/respond", { accept: true });
  expect(nothing.json).toEqual({ delivered: false, reason: "no prompt active" });
});

test("the token: made when none is given, private, printed once, and asked for", async () => {
  const place = scene();
  const host = await start(place, ["cat"]);
  const file = join(host.folder, "token");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(host.token.length).toBeGreaterThan(40);
  for (const path of [
    "screen",
    "screen/text",
    "output",
    "status",
    "agent",
    "config/stop",
    "session/usage",
    "recording",
  ]) {
    expect((await host.get(`/api/v1/${path}`, { token: "" })).status, path).toBe(401);
    expect((await host.get(`/api/v1/${path}`, { token: "wrong" })).json.error.code, path).toBe("UNAUTHORIZED");
    expect((await host.get(`/api/v1/${path}`)).status, path).toBe(200);
  }
  for (const path of [
    "input",
    "input/keys",
    "input/raw",
    "resize",
    "signal",
    "agent/nudge",
    "agent/respond",
    "session/restart",
    "shutdown",
  ]) {
    expect((await host.post(`/api/v1/${path}`, {}, { token: "" })).status, path).toBe(401);
  }
  const { stderr } = await host.stop();
  expect(stderr.split(host.token)).toHaveLength(2);
  expect(existsSync(file)).toBe(false);
});

test("a given token is not printed, and its holder is let in", async () => {
  const host = await start(scene(), ["cat"], [], { COOP_AUTH_TOKEN: "s3cret-token" });
  expect(host.token).toBe("s3cret-token");
  expect((await host.get("/api/v1/status")).status).toBe(200);
  await host.post("/api/v1/input", { text: "x" });
  expect((await host.stop()).stderr).not.toContain("s3cret-token");
});

test("the program doesn't get the token, but what its hooks need", async () => {
  const host = await start(scene(), sh("env; exec sleep 60"), [], { COOP_AUTH_TOKEN: "s3cret-token" });
  const text = await host.shows(/COOP_URL/);
  expect(text).toContain("COOP=1\n");
  expect(text).toContain("TERM=xterm-256color");
  expect(text).toContain(`COOP_URL=${host.url}`);
  expect(text).toContain(`COOP_HOOK_PIPE=${join(host.folder, "hook.pipe")}`);
  expect(text).not.toContain("s3cret-token");
});

test("a name that isn't this host's is refused before anything else", async () => {
  const host = await start(scene(), ["cat"], ["--names", "my-host.example"], { POD_IP: "10.1.2.3", HOSTNAME: "pod-7" });
  const { port } = new URL(host.url);
  const as = async (name: string) => (await host.get("/api/v1/health", { headers: { host: name } })).status;
  expect(await as("evil.example")).toBe(403);
  expect(await as(`evil.example:${port}`)).toBe(403);
  for (const name of ["localhost", "127.0.0.1", "10.1.2.3", "pod-7", "my-host.example"])
    expect(await as(`${name}:${port}`), name).toBe(200);
});

test("the health port: four routes, no token, nothing else", async () => {
  const host = await start(scene(), ["cat"], ["--port-health", "0"]);
  for (const path of ["health", "livez", "agent"])
    expect((await ask(host.health, "GET", `/api/v1/${path}`)).status).toBe(200);
  expect((await ask(host.health, "GET", "/api/v1/ready")).status).toBe(503);
  for (const path of ["screen", "status", "output", "config/stop"]) {
    expect((await ask(host.health, "GET", `/api/v1/${path}`, { token: host.token })).status, path).toBe(404);
  }
  expect((await ask(host.health, "POST", "/api/v1/shutdown", { token: host.token, body: {} })).status).toBe(404);
});

test("the unix socket: everything, for whoever may open it", async () => {
  const place = scene();
  const path = join(place.folder, "host.sock");
  const host = await startTerminal({
    cwd: place.workspace,
    env: place.env,
    flags: ["--socket", path],
    command: ["cat"],
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect((await ask(`unix:${path}`, "GET", "/api/v1/health")).json.status).toBe("running");
  await ask(`unix:${path}`, "POST", "/api/v1/input", { body: { text: "over the socket", enter: true } });
  await until(async () => (await ask(`unix:${path}`, "GET", "/api/v1/screen/text")).text.includes("over the socket"));
  const { code, stdout } = await place.cox(["screen", path]);
  expect([code, stdout.split("\n")[0]]).toEqual([0, "over the socket"]);
  expect((await place.cox(["input", "--to", path, "--keys", "ctrl-d"])).code).toBe(0);
  await until(async () => (await ask(`unix:${path}`, "GET", "/api/v1/agent")).json.state === "exited");
  await host.stop();
  expect(existsSync(path)).toBe(false);
});

test("what is not offered says so", async () => {
  const host = await start(scene(), ["cat"]);
  for (const path of ["session/profiles", "transcripts", "transcripts/1", "session/profiles/mode"]) {
    const { status, json } = await host.get(`/api/v1/${path}`);
    expect([status, json.error.code], path).toEqual([501, "NOT_IMPLEMENTED"]);
    expect(json.error.message).toContain(path.split("/")[0]);
  }
  expect((await host.post("/api/v1/upload", {})).status).toBe(501);
  expect((await host.post("/api/v1/session/switch", {})).status).toBe(501);
});

test("restart: a new program in the same terminal, numbers go on", async () => {
  const host = await start(scene(), sh("echo run $$; exec cat"));
  await host.shows(/run \d+/);
  const before = (await host.agent(({ state }) => state !== "starting")).since_seq;
  const { json: old } = await host.get("/api/v1/health");
  expect((await host.post("/api/v1/session/restart")).status).toBe(202);
  await until(async () => {
    const { json } = await host.get("/api/v1/health");
    return json.pid !== null && json.pid !== old.pid;
  });
  const { since_seq } = await host.agent(({ state }) => state === "working" || state === "idle");
  expect(since_seq).toBeGreaterThan(before);
  const { json } = await host.get(`/api/v1/events/catchup?since_seq=${before}`);
  expect(json.state_events.map(({ next }: { next: string }) => next).slice(0, 2)).toEqual(["restarting", "starting"]);
  const seqs = json.state_events.map(({ seq }: { seq: number }) => seq);
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  await host.shows(/^run \d+$/m);
});

test("misuse exits 2 and says what is wrong", async () => {
  const place = scene();
  for (const [args, words] of [
    [["terminal", "--", "cat"], "--port or --socket"],
    [["terminal", "--port", "0"], "which program"],
    [["terminal", "--port", "99999", "--", "cat"], "--port"],
    [["terminal", "--port", "0", "--agent", "vim", "--", "cat"], "--agent"],
    [["terminal", "--port", "0", "--agent-config", "{", "--", "cat"], "--agent-config"],
    [["terminal", "--port", "0", "--resume", "x", "--agent", "claude", "--", "cat"], "--resume"],
    [["terminal", "--port", "0", "--groom", "nicely", "--", "cat"], "--groom"],
  ] as const) {
    const { code, stderr } = await place.cox(args);
    expect([code, stderr.includes(words)], `${args.join(" ")}: ${stderr}`).toEqual([2, true]);
  }
  expect((await place.cox(["terminal", "--port", "0", "--", "no-such-program"])).code).toBe(127);
});

test("cox send: 0 accepted, 1 refused, 2 misuse", async () => {
  const place = scene();
  const host = await start(place, AGENT);
  const send = (env: NodeJS.ProcessEnv, ...args: string[]) =>
    place.cox(["send", ...args], { env }).then(({ code }) => code);
  expect(await send({}, "{}")).toBe(2);
  expect(await send({ COOP_URL: host.url }, "{")).toBe(2);
  expect(await send({ COOP_URL: "http://127.0.0.1:1" }, "{}")).toBe(1);
  await host.put("/api/v1/config/stop", { mode: "auto" });
  expect(await send({ COOP_URL: host.url }, '{"status":"done"}')).toBe(1);
  const agents = { COOP_URL: host.url, COOP_HOOK_TOKEN: await hookToken(host) };
  expect(await send(agents, '{"status":"perhaps"}')).toBe(1);
  expect(await send(agents, '{"status":"done"}')).toBe(0);
});

test("the stop gate, as an agent's hook and cox send meet it", async () => {
  const host = await start(scene(), AGENT);
  const token = await hookToken(host);
  const hook = (data = {}) => host.post("/api/v1/hooks/stop", { event: "stop", data }, { token });
  expect((await hook()).json).toEqual({});
  const schema = { fields: { verdict: { required: true, enum: ["ship", "fix"] } } };
  expect((await host.put("/api/v1/config/stop", { mode: "auto", schema })).json).toEqual({ updated: true });
  expect((await host.get("/api/v1/config/stop")).json.mode).toBe("auto");
  const { json: held } = await hook();
  expect(held.decision).toBe("block");
  expect(held.reason).toContain(`cox send '{"verdict":"ship"}'`);
  const wrong = await host.post("/api/v1/stop/resolve", { verdict: "shrug" }, { token });
  expect([wrong.status, wrong.json.error]).toEqual([422, 'field verdict: "shrug" is not one of ship, fix']);
  expect((await host.post("/api/v1/stop/resolve", { verdict: "ship" }, { token })).json).toEqual({
    accepted: true,
  });
  expect((await hook()).json).toEqual({});
  expect((await hook()).json.decision).toBe("block");
  expect((await hook({ stop_hook_active: true })).json).toEqual({});
});

test("other accounts of the machine are no hooks, and a hook is no more than that", async () => {
  const host = await start(scene(), AGENT);
  for (const path of ["hooks/stop", "stop/resolve", "hooks/start"]) {
    expect((await host.post(`/api/v1/${path}`, {}, { token: "" })).status, path).toBe(401);
  }
  const token = await hookToken(host);
  expect((await host.post("/api/v1/input", { text: "x" }, { token })).status).toBe(403);
  expect((await host.post("/api/v1/shutdown", {}, { token })).status).toBe(403);
  const socket = new WebSocket(`${host.url.replace(/^http/, "ws")}/ws?subscribe=pty&token=${token}`);
  const how = await new Promise((resolve) => {
    for (const type of ["open", "error"]) socket.once(type, () => resolve(type));
  });
  expect(how).toBe("error");
});

test("what an agent is told at its start", async () => {
  const host = await start(scene(), AGENT);
  const token = await hookToken(host);
  const begin = (source: string) => host.post("/api/v1/hooks/start", { event: "start", data: { source } }, { token });
  expect(await begin("startup")).toMatchObject({ status: 200, text: "" });
  await host.put("/api/v1/config/start", { text: 'it\'s "me"', event: { clear: { shell: ["echo again"] } } });
  const { text } = await begin("startup");
  expect(execFileSync("sh", ["-c", text]).toString()).toBe('it\'s "me"');
  expect((await begin("clear")).text).toBe("echo again\n");
});

test("--record keeps screens and an asciicast of everything", async () => {
  const host = await start(scene(), sh("echo one; read x; echo two; exit 3"), ["--record"]);
  await host.shows(/one/);
  await host.agent(({ state }) => state === "working");
  await host.post("/api/v1/input", { text: "", enter: true });
  await host.agent(({ state }) => state === "exited");
  const { json: status } = await host.get("/api/v1/recording");
  expect(status).toEqual({ enabled: true, path: join(host.folder, "recording.jsonl"), entries: expect.any(Number) });
  const { json } = await host.get("/api/v1/recording/catchup?since_seq=0");
  expect(json.entries.at(-1)).toMatchObject({ kind: "state", seq: status.entries, detail: { next: "exited" } });
  expect(json.entries.at(-1).screen.lines.join("\n")).toContain("two");
  const [header, ...entries] = (await host.get("/api/v1/recording/download")).text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(header).toEqual({ version: 1, cols: 200, rows: 50, timestamp: expect.any(Number) });
  expect(entries).toHaveLength(status.entries);
  expect((await host.put("/api/v1/recording", { enabled: false })).json.enabled).toBe(false);
  await host.stop();
  const cast = readFileSync(join(host.folder, "terminal.cast"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(cast[0]).toMatchObject({ version: 2, width: 200, height: 50 });
  expect(
    cast
      .slice(1)
      .map(([, , text]) => text)
      .join(""),
  ).toContain("two");
});

test("with COOP_MUX_URL it registers itself at that hub, and says goodbye", async () => {
  const heard: { method: string; path: string; token: string | undefined; body: string }[] = [];
  const hub = createServer((request, response) => {
    const { method = "", url: path = "", headers } = request;
    void text(request).then((body) => {
      heard.push({ method, path, token: headers.authorization, body });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => void hub.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void hub.close());
  const url = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
  const env = { COOP_MUX_URL: `${url}/`, COOP_MUX_TOKEN: "of-the-hub", COOP_AUTH_TOKEN: "of-the-terminal" };
  const host = await start(scene(), sh('echo "hub token: $COOP_MUX_TOKEN."; exec cat'), ["--label", "role=crew"], env);
  await host.shows(/hub token: \./); // it is not for the program
  const [first] = await until(() => (heard.length > 0 ? heard : undefined));
  expect(first).toMatchObject({ method: "POST", path: "/api/v1/sessions", token: "Bearer of-the-hub" });
  expect(JSON.parse(first?.body ?? "")).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    id: host.sessionId,
    auth_token: "of-the-terminal",
    metadata: { agent: "unknown", role: "crew" },
  });
  await host.post("/api/v1/shutdown", {});
  await until(() =>
    heard.some(({ method, path }) => method === "DELETE" && path === `/api/v1/sessions/${host.sessionId}`),
  );
});
