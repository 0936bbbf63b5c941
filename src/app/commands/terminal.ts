import { setFlagsFromString } from "node:v8";
import type { Clock } from "../../lib/base/clock.ts";
import { createLog, type Log } from "../../lib/base/log.ts";
import { command } from "../../lib/command/command.ts";
import type { RunningHost } from "../../terminal/host/run-host.ts";

export default command({
  name: "terminal",
  summary:
    "Run a program in a terminal of its own, which others can read and type into over HTTP, WebSocket or a unix socket.",
  usage: "cox terminal --port N|--socket PATH [options] [--] COMMAND...",
  options: {
    port: { value: "N", help: "listen there (COOP_PORT); 0 takes a free one" },
    host: { value: "ADDRESS", help: "on this address (127.0.0.1; COOP_HOST)" },
    socket: { value: "PATH", help: "listen on a unix socket (COOP_SOCKET)" },
    "port-health": { value: "N", help: "health, ready, livez and agent without a token (COOP_HEALTH_PORT)" },
    "auth-token": {
      value: "TOKEN",
      help: "what clients must show; better in COOP_AUTH_TOKEN. Without one, one is made",
    },
    names: { value: "A,B", help: "further names this host is reached by (COOP_NAMES)" },
    agent: { value: "NAME", help: "claude, codex, gemini or unknown (by the command's name; COOP_AGENT)" },
    "agent-config": { value: "JSON", help: "stop, start, settings, mcp, prompt_pattern, ... (COOP_AGENT_CONFIG)" },
    cols: { value: "N", help: "columns of the terminal (200)" },
    rows: { value: "N", help: "rows of the terminal (50)" },
    "ring-size": { value: "BYTES", help: "how much of the output is kept (1048576)" },
    term: { value: "NAME", help: "TERM of the program (xterm-256color)" },
    resume: { value: "HINT", help: "go on with a conversation of claude: its log, or its folder (COOP_RESUME)" },
    groom: { value: "HOW", help: "start-up screens: auto passes them, manual, pristine (no hooks either)" },
    label: { value: "K=V", repeat: true, help: "say something about it; dots nest" },
    record: { help: "keep screens at each change, and all output as asciicast v2" },
    "log-level": { value: "LEVEL", help: "debug, info, warn or error (COOP_LOG_LEVEL)" },
  },
  examples: [
    "cox terminal --port 8080 -- claude",
    "cox terminal --socket /tmp/me.sock -- bash",
    "cox attach /tmp/me.sock",
  ],
  async run({ values, positionals }, { env, cwd, clock, stdout, stderr }) {
    // It mostly waits: a small heap rather than a fast one.
    for (const flag of ["--semi-space-growth-factor=1", "--optimize-for-size"]) setFlagsFromString(flag);
    const { readSettings } = await import("../../core/screens/settings.ts");
    const { runHost } = await import("../../terminal/host/run-host.ts");
    const settings = readSettings(values, env, positionals);
    const log = createLog({ sink: (line) => stderr.write(line), level: settings.logLevel, now: () => clock.now() });
    const running = await runHost({ settings, env, cwd, clock, log });
    const { host, urls, tokenFile, newToken } = running;
    if (newToken !== undefined) stderr.write(`cox: token of this host, also in ${tokenFile}: ${newToken}\n`);
    stdout.write(`${JSON.stringify({ listening: urls, session_id: host.id, token_file: tokenFile })}\n`);
    // Its end would be the agent's, too: what was overlooked is said, and it goes on.
    process.on("unhandledRejection", (error) => log.error("something failed that nobody waited for", { error }));
    let asked = false;
    const stop = () => {
      if (asked) void host.kill();
      else void host.shutdown();
      asked = true;
    };
    process.on("SIGTERM", stop).on("SIGINT", stop);
    process.on("SIGHUP", () => {}); // whoever started it may go
    const goodbye = await registered(running, { env, clock, log });
    const code = await running.ended;
    await goodbye();
    return code;
  },
});

/** With a hub named it says there where it is, for as long as it lives. Returns how that ends. */
async function registered(
  { host, urls, token }: RunningHost,
  { env, clock, log }: { env: NodeJS.ProcessEnv; clock: Clock; log: Log },
): Promise<() => Promise<void>> {
  if (!env.COOP_MUX_URL) return async () => {};
  const { hubOf } = await import("../../terminal/supervisor/settings.ts");
  const { deregister, stayRegistered } = await import("../../terminal/supervisor/host/hub.ts");
  const hub = hubOf(env);
  const url = env.COOP_URL || urls.find((each) => each.startsWith("http"));
  if (hub === undefined || url === undefined) {
    log.warn("not registered with the hub: it reaches terminals over HTTP; give --port, or COOP_URL");
    return async () => {};
  }
  const id = env.COOP_MUX_SESSION_ID || host.id;
  const registration = () => ({
    url,
    id,
    auth_token: token,
    metadata: { agent: host.settings.agent, ...host.settings.labels },
  });
  const over = new AbortController();
  const staying = stayRegistered({ hub, clock, log, registration, onBeat: () => {} }, over.signal);
  return async () => {
    over.abort();
    await staying;
    await deregister(hub, id, log);
  };
}
