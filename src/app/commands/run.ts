import { runName } from "../../contract/ids.ts";
import { startDetached } from "../../core/launch/detach.ts";
import { runHere } from "../../faces/cli/run-here.ts";
import { requestOf, runOptions } from "../../faces/cli/run-options.ts";
import { runSocket } from "../../faces/cli/run-socket.ts";
import { runThroughSocket } from "../../faces/cli/through-socket.ts";
import { type Context, command } from "../../lib/command/command.ts";

export default command({
  name: "run",
  summary: "Run an agent on a prompt, live.",
  usage: "cox run [options] [PROMPT]",
  options: runOptions,
  examples: [
    "cox run -d --timeout 30m --prompt-file task.md   detached; then: cox attach latest",
    'git diff | cox run "review this"',
  ],
  async run({ values, positionals }, context: Context) {
    const socket = runSocket(context.env);
    if (socket !== undefined) return runThroughSocket(socket, values, positionals, context);
    if (values.on === "kubernetes") {
      return (await import("./k8s/run-on-cluster.ts")).runOnCluster(values, positionals, context);
    }
    const request = await requestOf(values, positionals, context);
    if (!values.detach) return runHere(request, values, context);
    const { runId, handle, agent, notices } = await startDetached(request, context.env);
    const name = runName({ handle, run_id: runId });
    for (const notice of notices) context.stderr.write(`${notice}\n`);
    context.stdout.write(values.json ? `${JSON.stringify({ run_id: runId, handle })}\n` : `${name}\n`);
    if (!values.json && !values.quiet) {
      context.stderr.write(
        `started ${agent}; watch it with \`cox attach ${name}\`, stop it with \`cox stop ${name}\`\n`,
      );
    }
    return 0;
  },
});
