import { homedir } from "node:os";
import { containerRun } from "../../cluster/pod/container/run.ts";
import { command } from "../../lib/command/command.ts";
import { plainWriter } from "../../lib/command/plain-writer.ts";

export default command({
  name: "container-run",
  summary:
    "Run the agent of a container: what /kelos_entrypoint.sh of our images calls. KELOS_AGENT_TYPE says which agent, the other\nKELOS_ variables how; the prompt goes in, the agent's stream comes out, then the outputs block (see cox help capture).\nThe exit code is the agent's.",
  usage: "cox container-run PROMPT",
  examples: ['KELOS_AGENT_TYPE=claude-code cox container-run "fix the test"'],
  options: {},
  raw: true, // a prompt may begin with a dash
  async run({ positionals }, context) {
    const { env, cwd, clock, stderr } = context;
    const stopping = new AbortController();
    const stop = () => stopping.abort();
    process.on("SIGTERM", stop).on("SIGINT", stop);
    try {
      return await containerRun(positionals, {
        env,
        cwd,
        clock,
        home: env.HOME || homedir(),
        stopping: stopping.signal,
        write: plainWriter(context),
        warn: (text) => void stderr.write(`cox container-run: ${text}\n`),
        tell: (text) => void stderr.write(text),
      });
    } finally {
      process.off("SIGTERM", stop).off("SIGINT", stop);
    }
  },
});
