import { Readable, Writable } from "node:stream";
import { runOptions } from "../../faces/cli/run-options.ts";
import { command } from "../../lib/command/command.ts";

const { agent, profile, model, project, on, network, permissions } = runOptions;

export default command({
  name: "acp",
  summary: "Be an agent for an editor: ACP on stdin and stdout, any of our agents behind it.",
  usage: "cox acp --agent NAME [options]",
  words: [0, 0],
  options: { agent, profile, model, project, on, network, permissions },
  examples: [
    "cox acp --agent claude     as the command of an agent in the editor's settings",
    "cox ls                     the editor's conversations are runs, as all others",
  ],
  async run({ values }, context) {
    const [{ ndJsonStream }, { acpAgent }, { acpRuns }] = await Promise.all([
      import("@agentclientprotocol/sdk"),
      import("../../faces/tools/acp-agent.ts"),
      import("../acp-runs.ts"),
    ]);
    const gone = new AbortController();
    const { app, detach } = acpAgent(
      acpRuns(values, context, gone.signal),
      `Coxswain: ${values.profile ?? values.agent ?? "agent"}`,
    );
    const input = Readable.toWeb(context.stdin) as ReadableStream<Uint8Array>;
    const output = Writable.toWeb(context.stdout) as WritableStream<Uint8Array>;
    const connection = app.connect(ndJsonStream(output, input));
    const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
    const go = () => gone.abort();
    for (const signal of signals) process.once(signal, go);
    const asked = new Promise((resolve) => gone.signal.addEventListener("abort", resolve));
    await Promise.race([connection.closed, asked]);
    go();
    for (const signal of signals) process.off(signal, go); // whoever sends another has waited long enough
    await detach();
    return 0;
  },
});
