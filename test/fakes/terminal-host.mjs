// A stand-in for a terminal host: the flags, routes and shapes that a supervisor uses, without a terminal. The agent tells its
// state itself, as JSON lines on stdout ({state, screen, …}); keys and nudges go to its stdin as JSON lines.
//   node terminal-host.mjs --port=N … -- program args
// It answers only with the token of COOP_AUTH_TOKEN, and appends what it saw to FAKE_HOST_LOG.
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { constants } from "node:os";

const at = process.argv.indexOf("--");
const flags = process.argv.slice(2, at);
const [program, ...args] = process.argv.slice(at + 1);
const port = Number(flags.find((flag) => flag.startsWith("--port="))?.slice(7));
const note = (entry) => {
  if (process.env.FAKE_HOST_LOG) fs.appendFileSync(process.env.FAKE_HOST_LOG, `${JSON.stringify(entry)}\n`);
};
note({ start: flags, mux: process.env.COOP_MUX_URL, pid: process.pid });

let view = { state: "starting", since_seq: 0, prompt: null };
let screen = "";
let exit = null;
const child = spawn(program, [...args, "--appended", "by the host"], { stdio: ["pipe", "pipe", "inherit"] });
child.stdin.on("error", () => {});
let rest = "";
child.stdout.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines.filter(Boolean)) {
    const { screen: shown, ...said } = JSON.parse(line);
    screen = shown ?? screen;
    view = { ...view, ...said, since_seq: view.since_seq + 1 };
  }
});
child.on("exit", (code, signal) => {
  exit = signal ? 128 + constants.signals[signal] : code;
  view = { ...view, state: "exited", since_seq: view.since_seq + 1 };
});
const tell = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
const leave = () => {
  if (exit === null) child.kill("SIGHUP");
  const wait = setInterval(() => exit !== null && (clearInterval(wait), process.exit(exit)), 10);
  setTimeout(() => child.kill("SIGKILL"), Number(process.env.COOP_SHUTDOWN_TIMEOUT_MS ?? 1000)).unref();
};

const routes = {
  "GET /agent": () => view,
  "GET /status": () => ({ state: view.state, exit_code: exit, pid: child.pid }),
  "GET /screen/text": () => screen,
  "POST /input/keys": ({ keys }) => (tell({ keys }), { bytes_written: keys.length }),
  "POST /agent/nudge": ({ message }) => (tell({ nudge: message }), { delivered: true, state_before: view.state }),
  "POST /signal": ({ signal }) => (child.kill(signal), { delivered: true }),
  "POST /shutdown": () => (setTimeout(leave, 5), { accepted: true }),
};

http
  .createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const path = request.url.replace("/api/v1", "");
    const reply = (status, value) =>
      response.writeHead(status).end(typeof value === "string" ? value : JSON.stringify(value));
    if (path === "/health") return reply(200, { status: "running" });
    const allowed = request.headers.authorization === `Bearer ${process.env.COOP_AUTH_TOKEN}`;
    note({ call: `${request.method} ${path}`, allowed });
    if (!allowed) return reply(401, { error: { code: "UNAUTHORIZED", message: "no" } });
    const route = routes[`${request.method} ${path}`];
    if (route === undefined) return reply(404, { error: { code: "NOT_FOUND", message: path } });
    reply(200, route(body === "" ? {} : JSON.parse(body)));
  })
  .listen(port, "127.0.0.1");
process.on("SIGTERM", leave);
