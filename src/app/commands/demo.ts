import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runHere } from "../../faces/cli/run-here.ts";
import { requestOf } from "../../faces/cli/run-options.ts";
import { command } from "../../lib/command/command.ts";
import { packageRoot } from "../../lib/files/package-root.ts";

const README = `# A scratch project

Nothing here matters: the demo agent may read and change it.
`;

const NEXT = `
That was a run. Everything it did is kept: try

  cox ls                                   all runs
  cox logs latest                          what was said and done
  cox output latest                        the final answer
  cox run --agent demo "something else"    in a folder of yours
  cox run -i "…"                           with the first agent you have installed, staying for follow-ups
  cox run -d "…" ; cox inbox               in the background; answer what it asks from anywhere
  cox doctor                               which agents are ready on this machine
`;

export default command({
  name: "demo",
  summary: "See a run from beginning to end, without an account.",
  usage: "cox demo",
  examples: ["cox demo"],
  options: {},
  async run(_, context) {
    const workspace = mkdtempSync(join(tmpdir(), "cox-scratch-"));
    writeFileSync(join(workspace, "README.md"), README);
    context.stderr.write(`The demo agent works in a scratch folder: ${workspace}\n\n`);
    const alone = !(context.stdin.isTTY && context.stderr.isTTY);
    const values = { agent: "demo", cwd: workspace, project: "demo", permissions: alone ? "allow" : "ask" };
    const request = await requestOf(values, ["Show me around"], context);
    const code = await runHere(request, {}, context);
    context.stdout.write(NEXT.replaceAll("  cox ", `  ${howToCall(context.env)} `));
    return code;
  },
});

/** In a checkout nobody has `cox` on the PATH yet; its file is there from every folder. What npx would fetch is not ours. */
function howToCall(env: NodeJS.ProcessEnv): string {
  if (env.npm_lifecycle_event !== "start") return "cox";
  const file = join(packageRoot(), "bin", "cox");
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}
