import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { Profile } from "../../core/agents/profiles/profile.ts";
import { loadRegistry } from "../../core/agents/registry/registry.ts";
import { type PlanWishes, planRun } from "../../core/launch/plan-run.ts";
import type { AgentTrials } from "../../faces/server/ports.ts";
import { packageRoot } from "../../lib/files/package-root.ts";
import { runCommand } from "../../lib/process/command.ts";
import { shellWords } from "../../lib/text/shell-words.ts";

const LIMIT_MS = 90_000;

/** A trial is a run, and the server owns none: it is `cox agent test` in a process of its own. */
export function agentTrials(home: string, env: NodeJS.ProcessEnv): AgentTrials {
  return {
    async agent(agent, profile) {
      const chosen = profile === undefined ? [] : ["--profile", profile];
      const began = performance.now();
      const cox = join(packageRoot(), "bin", "cox");
      const result = await runCommand(process.execPath, [cox, "agent", "test", agent, "--json", ...chosen], {
        cwd: home,
        env: definedOf({ ...env, COX_HOME: home, COX_RUN_ID: undefined }),
        timeoutMs: LIMIT_MS,
      });
      const durationMs = Math.round(performance.now() - began);
      const said = parse(result.stdout.toString("utf8"));
      if (said === undefined) return { ok: false, text: result.stderr.replace(/^cox: /, "").trim(), durationMs };
      const text = said.ok ? said.answer : [said.error, said.remedy].filter((part) => part).join("; ");
      return { ok: said.ok, text: text ?? "", durationMs };
    },

    async preview(agent, wanted, workspace) {
      const definition = (await loadRegistry(home)).find(agent);
      const profile = Profile.safeParse({ ...wanted, agent: definition.id });
      if (!profile.success)
        return { commandline: "", env: [], problem: profile.error.issues[0]?.message ?? "not a profile" };
      const wishes: PlanWishes = { home, who: { profile: "" }, where: { workspace, task: "" }, permissions: "ask" };
      try {
        const { plan } = planRun(wishes, definition, profile.data, env);
        return { commandline: shellWords(plan.argv), env: Object.keys(plan.env).sort() };
      } catch (error) {
        if (error instanceof AppError) return { commandline: "", env: [], problem: error.message };
        throw error;
      }
    },
  };
}

interface Said {
  ok: boolean;
  answer?: string;
  error?: string | null;
  remedy?: string | null;
}

function parse(text: string): Said | undefined {
  try {
    return JSON.parse(text) as Said;
  } catch {
    return undefined; // it failed before there was a run, and said why
  }
}

const definedOf = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
