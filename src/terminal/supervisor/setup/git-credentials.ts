import { join } from "node:path";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { shellWords } from "../../../lib/text/shell-words.ts";
import type { Environment, Step } from "../step.ts";
import { globally } from "./git-config.ts";

/** Logins for the hosts that the projects live on. */
export const gitCredentials: Step = {
  name: "git credentials",
  async run({ settings, env }) {
    const lines = credentialLines(env);
    if (lines.length === 0) return { note: "none given" };
    const file = join(settings.home, ".git-credentials");
    writeFileAtomic(file, `${lines.join("\n")}\n`);
    const helper = shellWords(["store", `--file=${file}`]);
    await globally(settings.home, ["--replace-all", "credential.helper", helper, "^store "]);
    return { note: lines.map((line) => new URL(line).host).join(", ") };
  },
};

/** One line per host, what is secret in it encoded: a token may hold `@`, `/` or `:`. */
export function credentialLines(env: Environment): string[] {
  return [...hostsOf(env)].flatMap((host) => {
    const login = loginFor(host, env);
    if (login === undefined) return [];
    return [`https://${encodeURIComponent(login.user)}:${encodeURIComponent(login.token)}@${host}`];
  });
}

function loginFor(host: string, env: Environment): { user: string; token: string } | undefined {
  if (isGitlab(host, env) && env.GITLAB_TOKEN)
    return { user: env.GITLAB_USERNAME || "oauth2", token: env.GITLAB_TOKEN };
  if (env.GIT_USERNAME && env.GIT_TOKEN) return { user: env.GIT_USERNAME, token: env.GIT_TOKEN };
  if (host === GITHUB && env.GITHUB_TOKEN) return { user: "x-access-token", token: env.GITHUB_TOKEN };
  return undefined;
}

const GITHUB = "github.com";

const isGitlab = (host: string, env: Environment): boolean =>
  host === env.GITLAB_HOST || /(^|[.-])gitlab([.:-]|$)/.test(host);

/** `name=https://host/path:prefix,…` in both lists; GitHub is always one of them. */
function hostsOf(env: Environment): Set<string> {
  const listed = `${env.BOAT_PROJECTS ?? ""},${env.BOAT_REFERENCE_REPOS ?? ""}`.split(",");
  const hosts = listed.flatMap((entry) => /https:\/\/(?:[^@/]*@)?([\w.:-]+)/.exec(entry)?.[1] ?? []);
  return new Set([GITHUB, ...(env.GITLAB_HOST ? [env.GITLAB_HOST] : []), ...hosts]);
}
