import { capture } from "../../cluster/pod/capture.ts";
import { command, requirePositionals } from "../../lib/command/command.ts";
import { plainWriter } from "../../lib/command/plain-writer.ts";

const spec = {
  name: "capture",
  usage: "AGENT | cox capture      or      AGENT | tee /tmp/agent-output.jsonl; cox capture",
};

export default command({
  ...spec,
  summary:
    "Say what an agent's container produced: branch, pull requests, commit, tokens, cost and the final response, between\nmarkers on stdout. The drop-in for /kelos/kelos-capture: as the end of a pipe it passes the agent's output on, byte by\nbyte; otherwise it reads /tmp/agent-output.jsonl. KELOS_AGENT_TYPE says whose format it is.",
  options: {},
  async run({ positionals }, context) {
    requirePositionals(spec, positionals, 0);
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
