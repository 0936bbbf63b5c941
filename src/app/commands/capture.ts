import { capture } from "../../cluster/pod/capture.ts";
import { command } from "../../lib/command/command.ts";
import { plainWriter } from "../../lib/command/plain-writer.ts";

export default command({
  name: "capture",
  summary:
    "Say what an agent's container produced: branch, pull requests, commit, tokens, cost and the final response, between\nmarkers on stdout. The drop-in for /kelos/kelos-capture: as the end of a pipe it passes the agent's output on, byte by\nbyte; otherwise it reads /tmp/agent-output.jsonl. KELOS_AGENT_TYPE says whose format it is.",
  usage: "AGENT | cox capture      or      AGENT | tee /tmp/agent-output.jsonl; cox capture",
  examples: ["claude -p --output-format stream-json --verbose hello | cox capture"],
  words: [0, 0],
  options: {},
  async run(_, context) {
    const { env, cwd, clock, stdin, stderr } = context;
    return capture(stdin, {
      env,
      cwd,
      clock,
      write: plainWriter(context),
      warn: (text) => void stderr.write(`cox capture: ${text}\n`),
    });
  },
});
