import { homePath, openHome } from "../../core/store/home.ts";
import { createLog } from "../../lib/base/log.ts";
import { command } from "../../lib/command/command.ts";

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
  async run({ values }, context) {
    const { openHub } = await import("../../terminal/hub/core.ts");
    const { startHubHere } = await import("../start-hub.ts");
    const { env, clock, stdout, stderr } = context;
    const home = openHome(homePath(env));
    const log = createLog({ sink: (line) => stderr.write(line), level: "info", now: () => clock.now() });
    const { "auth-token": token, ...place } = values;
    const { hub, tokenFile } = await startHubHere(openHub({ home, clock, log }), { ...place, token }, log, context);
    stdout.write(`${JSON.stringify({ listening: hub.url, token_file: tokenFile })}\n`);
    await new Promise<void>((resolve) => {
      process.once("SIGTERM", () => resolve());
      process.once("SIGINT", () => resolve());
    });
    await hub.close();
    return 0;
  },
});
