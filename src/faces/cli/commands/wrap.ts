import { basename, join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { isName, newTaskName, requireName, runName, slug } from "../../../contract/ids.ts";
import { readConfig } from "../../../core/config/config-file.ts";
import { openHost } from "../../../core/host/host.ts";
import { projectOf, requireWorkspace } from "../../../core/runner/workspace/workspace.ts";
import { startWrap, type WrapSpec } from "../../../core/runner/wrap.ts";
import { claimTask, requireTaskName } from "../../../core/store/find-task.ts";
import { homePath, openHome, socketPath } from "../../../core/store/home.ts";
import { distrustWorkspace } from "../../../core/workspaces/git/writable-places.ts";
import { type CommandInput, type Context, command } from "../../../lib/command/command.ts";
import { packageRoot } from "../../../lib/files/package-root.ts";
import { findExecutable } from "../../../lib/process/path/executable.ts";
import { PersonTerminal } from "../person-terminal.ts";

const options = {
  agent: { short: "a", value: "NAME", help: "what the record calls it; default: the program's name" },
  project: { value: "NAME", help: "project; default: the git repository's name" },
  task: { value: "NAME", help: "task; default: a new one" },
  cwd: { short: "C", value: "DIR", help: "the folder to work in; default: this one" },
  quiet: { short: "q", help: "don't say where it was recorded" },
} as const;

export default command({
  name: "wrap",
  summary: "Use an agent in your terminal as always, and keep it as a run.",
  usage: "cox wrap [options] -- PROGRAM [ARGUMENT...]",
  options,
  examples: [
    "cox wrap -- claude",
    "cox wrap --task fix-login -- codex --model gpt-5.5",
    "cox play latest                                 see it again",
  ],
  async run({ values, positionals }, context) {
    const wanted = await specOf(values, positionals, context);
    const terminal = new PersonTerminal(context);
    let show = (chunk: Buffer): void => void terminal.print(chunk);
    // As a shell has it: what is sent elsewhere with 2> is no part of the screen.
    const { stderr } = context;
    const onStderr = stderr.isTTY ? undefined : (chunk: Buffer) => void stderr.write(chunk);
    const run = await startWrap({ ...wanted, ...terminal.plan, onData: (chunk) => show(chunk), onStderr });
    show = (chunk) => {
      if (!terminal.print(chunk)) run.pty.pause();
    };
    const host = await openHost(run, socketPath(wanted.home, run.runId)).catch(async (error: unknown) => {
      await run.pty.stop(0);
      throw error;
    });
    const forward = (signal: NodeJS.Signals) => run.pty.signal(signal);
    // Without its terminal nobody would ever end it.
    const hangUp = () => {
      forward("SIGHUP");
      void run.pty.stop(HANG_UP_GRACE_MS);
    };
    process.on("SIGINT", forward).on("SIGTERM", forward).on("SIGHUP", hangUp);
    context.onOutputGone(hangUp);
    terminal.connect(run);
    const info = await run.ended.finally(() => terminal.release());
    host.close();
    const called = runName(info);
    if (!values.quiet)
      context.stderr.write(`cox: recorded as run ${called}; see it again with \`cox play ${called}\`\n`);
    return info.exit_code;
  },
});

const HANG_UP_GRACE_MS = 5000;

type Wanted = Omit<WrapSpec, "size" | "modes" | "onData" | "onStderr">;

async function specOf(
  values: CommandInput<typeof options>["values"],
  [program, ...args]: readonly string[],
  { env, cwd, clock }: Context,
): Promise<Wanted> {
  if (program === undefined) {
    throw new AppError("usage.invalid", "cox wrap: which program? For example: cox wrap -- claude");
  }
  const root = homePath(env);
  const config = await readConfig(root);
  const workspace = requireWorkspace(values.cwd ?? ".", cwd);
  distrustWorkspace(workspace);
  const file = findExecutable(program, { path: env.PATH, cwd });
  const name = basename(file).toLowerCase();
  const project = requireName(
    "project",
    values.project ?? config.project ?? env.JRUN_PROJECT_ID ?? projectOf(workspace),
  );
  const agent = requireName("agent", values.agent ?? (isName(name) ? name : slug(name)));
  const home = openHome(root);
  return {
    home,
    project,
    task:
      values.task === undefined
        ? claimTask(home, project, newTaskName(name, clock.now()))
        : requireTaskName(home, { project, task: values.task }),
    agent,
    file,
    args,
    cwd: workspace,
    callerEnv: env,
    parentRunId: env.COX_RUN_ID,
    bin: join(packageRoot(), "bin"),
    clock,
  };
}
