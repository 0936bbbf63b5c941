import { findAgents } from "../../../core/agents/discovery/inspect-agents.ts";
import { loadRegistry, Registry } from "../../../core/agents/registry/registry.ts";
import { homePath } from "../../../core/store/home.ts";
import { hanging, wrapWords } from "../../../lib/command/columns.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { type Page, paintFor } from "../../../lib/command/paint.ts";
import { printableJson } from "../../../lib/text/printable.ts";
import {
  type Check,
  checkConfig,
  checkDisk,
  checkHome,
  checkHosts,
  checkLedger,
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
  usage: "cox doctor [--repair] [--json]",
  examples: ["cox doctor", "cox doctor --repair    when the list of runs is damaged or gone"],
  words: [0, 0],
  options: {
    repair: { help: "make the list of runs anew from their directories, if something is wrong with it" },
    json: { help: "print the checks as JSON lines" },
  },
  async run({ values }, context) {
    const checks = await examine(context, values.repair === true);
    const page = { width: context.stdout.columns || Number.POSITIVE_INFINITY, paint: paintFor(context) };
    for (const check of checks) {
      context.stdout.write(values.json ? `${printableJson(check)}\n` : renderCheck(check, page));
    }
    return checks.some(({ status }) => status === "fail") ? 1 : 0;
  },
});

async function examine(context: Context, repair: boolean): Promise<Check[]> {
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
          checkLedger(root, context, repair), // before whoever writes into it
          await checkHosts(root, context),
        ];
  const [git, ...programs] = await Promise.all([
    checkProgram("git", "install git: without it there are no diffs and no worktrees", context),
    ...[...AGENTS, ...OTHERS].map((name) => checkProgram(name, undefined, context)),
  ]);
  const logged = await withLogins(programs, home.status === "fail" ? undefined : root, context);
  return [...machine, ...inside, ...checkPath(context.env.PATH), git, ...logged, checkAgents(logged)];
}

/** As `cox agent ls` says it: a program without a login is of little use. */
async function withLogins(checks: readonly Check[], root: string | undefined, { env }: Context): Promise<Check[]> {
  const registry = root === undefined ? new Registry() : await loadRegistry(root);
  const definitions = registry.enabled.filter(({ id }) => AGENTS.includes(id));
  const found = root === undefined ? [] : await findAgents(definitions, root, env);
  const inNeed = new Map(
    found.flatMap(({ definition, found: { state, remedy } }) =>
      state === "needs_login" ? [[definition.id, remedy]] : [],
    ),
  );
  return checks.map((check): Check => {
    const remedy = inNeed.get(check.name);
    if (check.status !== "ok" || remedy === undefined) return check;
    return { ...check, status: "warn", text: `${check.text}, needs login`, remedy };
  });
}

export function checkAgents(programs: readonly Check[]): Check {
  const named = (status: Check["status"]) =>
    programs.filter((program) => AGENTS.includes(program.name) && program.status === status).map(({ name }) => name);
  const [found, inNeed] = [named("ok"), named("warn")];
  if (found.length > 0) return { name: "agents", status: "ok", text: `${found.join(", ")} and demo` };
  const first =
    inNeed.length > 0 ? `log in to ${inNeed.join(" or ")}` : `install one of ${AGENTS.join(", ")}, and log in`;
  const remedy = `${first}; until then try \`cox run --agent demo "show me around"\``;
  return { name: "agents", status: "warn", text: "only demo", remedy };
}

export function renderCheck({ name, status, text, remedy }: Check, { width, paint }: Page): string {
  const marks = {
    ok: paint.green("ok  "),
    none: paint.dim("-   "),
    warn: paint.yellow("warn"),
    fail: paint.red("fail"),
  };
  const lines = [
    ...hanging(`${marks[status]}  ${name.padEnd(9)} `, text, width, wrapWords),
    ...(remedy === undefined ? [] : hanging(`${" ".repeat(16)}${paint.marks.arrow} `, remedy, width, wrapWords)),
  ];
  return lines.map((line) => `${line}\n`).join("");
}
