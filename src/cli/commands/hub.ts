import { join } from "node:path";
import { createLog } from "../../base/log.ts";
import { AppError } from "../../contract/errors.ts";
import { homePath, openHome } from "../../store/home.ts";
import { command } from "../command.ts";

const DEFAULT_PORT = 9800;

export default command({
  name: "hub",
  summary: "The place where hosted terminals register: who is there, what they show, and a line to each of them.",
  usage: "cox hub [options]",
  options: {
    port: { value: "N", help: `listen there (${DEFAULT_PORT}; COOP_MUX_PORT); 0 takes a free one` },
    host: { value: "ADDRESS", help: "on this address (127.0.0.1; COOP_MUX_HOST)" },
    "auth-token": {
      value: "TOKEN",
      help: "what clients must show; better in COOP_MUX_AUTH_TOKEN. Without one, one is made",
    },
    names: { value: "A,B", help: "further names this hub is reached by (COOP_MUX_NAMES)" },
  },
  examples: [
    "cox hub",
    "COOP_MUX_URL=http://127.0.0.1:9800 cox agent start --local",
    'curl -H "Authorization: Bearer $(cat ~/.coxswain/hub-token)" http://127.0.0.1:9800/api/v1/sessions',
  ],
  async run({ values }, { env, clock, stdout, stderr }) {
    const { openTokenFile } = await import("../../http/token-file.ts");
    const { openHub } = await import("../../hub/core.ts");
    const { startHub } = await import("../../hub/start.ts");
    const home = openHome(homePath(env));
    const tokenFile = join(home.root, "hub-token");
    const given = values["auth-token"] ?? (env.COOP_MUX_AUTH_TOKEN || undefined);
    const log = createLog({ sink: (line) => stderr.write(line), level: "info", now: () => clock.now() });
    const names = (values.names ?? env.COOP_MUX_NAMES ?? "").split(",").filter((name) => name !== "");
    const hub = await startHub({
      core: openHub({ home, clock, log }),
      host: values.host ?? (env.COOP_MUX_HOST || "127.0.0.1"),
      port: portOf(values.port ?? (env.COOP_MUX_PORT || undefined)),
      token: given ?? openTokenFile(tokenFile),
      names,
      env,
      clock,
      log,
    });
    stdout.write(
      `${JSON.stringify({ listening: hub.url, token_file: given === undefined ? tokenFile : undefined })}\n`,
    );
    await new Promise<void>((resolve) => {
      process.once("SIGTERM", () => resolve());
      process.once("SIGINT", () => resolve());
    });
    await hub.close();
    return 0;
  },
});

function portOf(text = String(DEFAULT_PORT)): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new AppError("config.invalid", `cox hub: --port ${JSON.stringify(text)}: not a port from 0 to 65535`);
}
