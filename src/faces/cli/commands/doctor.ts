import { homePath } from "../../../core/store/home.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { type Page, paintFor } from "../../../lib/command/paint.ts";
import { printableJson } from "../../../lib/text/printable.ts";
import {
  type Check,
  checkConfig,
  checkDisk,
  checkHome,
  checkHosts,
  checkNode,
  checkPath,
  checkPlatform,
  checkProgram,
  checkSocket,
  checkWatch,
  freeDisk,
} from "../checks.ts";

const AGENTS = ["claude", "codex", "gemini", "opencode"];
const OTHERS = ["docker", "podman", "bwrap", "gh"];

export default command({
  name: "doctor",
  summary: "Check this machine: what works, what is missing, what to do about it.",
  usage: "cox doctor [--json]",
  words: [0, 0],
  options: { json: { help: "print the checks as JSON lines" } },
  async run({ values }, context) {
    const checks = await examine(context);
    const page = { width: context.stdout.columns || 120, paint: paintFor(context) };
    for (const check of checks) {
      context.stdout.write(values.json ? `${printableJson(check)}\n` : renderCheck(check, page));
    }
    return checks.some(({ status }) => status === "fail") ? 1 : 0;
  },
});

async function examine(context: Context): Promise<Check[]> {
  const root = homePath(context.env);
  const home = checkHome(root);
  const machine = [checkNode(process.versions.node), checkPlatform(process.platform, process.arch), home];
  // Without a folder of our own there is nothing more to try in it.
  const inside =
    home.status === "fail"
      ? []
      : [
          checkDisk(freeDisk(root)),
          await checkSocket(root),
          await checkWatch(root),
          await checkConfig(root),
          await checkHosts(root, context),
        ];
  const [git, ...programs] = await Promise.all([
    checkProgram("git", "install git: without it there are no diffs and no worktrees", context),
    ...[...AGENTS, ...OTHERS].map((name) => checkProgram(name, undefined, context)),
  ]);
  return [...machine, ...inside, ...checkPath(context.env.PATH), git, ...programs, checkAgents(programs)];
}

function checkAgents(programs: readonly Check[]): Check {
  const found = programs.filter(({ name, status }) => AGENTS.includes(name) && status === "ok").map(({ name }) => name);
  if (found.length > 0) return { name: "agents", status: "ok", text: `${found.join(", ")} and demo` };
  const remedy = `install one of ${AGENTS.join(", ")}; until then try \`cox run --agent demo "show me around"\``;
  return { name: "agents", status: "warn", text: "only demo", remedy };
}

export function renderCheck({ name, status, text, remedy }: Check, { paint }: Page): string {
  const marks = {
    ok: paint.green("ok  "),
    none: paint.dim("-   "),
    warn: paint.yellow("warn"),
    fail: paint.red("fail"),
  };
  const line = `${marks[status]}  ${name.padEnd(9)} ${text}\n`;
  return remedy === undefined ? line : `${line}                → ${remedy}\n`;
}
