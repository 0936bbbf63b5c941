import type { Provider, WorkspaceSpec } from "../../../contract/resources/workspace.ts";

/** The host of a repository's address, without user and port: `https://user@host:8443/path`, `git@host:path`. */
export function hostOf(repo: string): string {
  const scp = /^[^/@:]+@([^/:]+):(?!\/\/)/.exec(repo)?.[1];
  if (scp !== undefined) return scp.toLowerCase();
  try {
    return new URL(repo).hostname.toLowerCase();
  } catch {
    return "";
  }
}

/** The host as `gh` and credentials name it: with its port, if it has one of its own. */
export function hostWithPort(repo: string): string {
  try {
    return new URL(repo).host.toLowerCase();
  } catch {
    return hostOf(repo);
  }
}

/**
 * What runs at the repository's host. Said by the Workspace, or told by the name. A name that tells nothing is taken for
 * GitHub Enterprise, as the image interface has it, unless it can't be one: an address, or a host of the cluster itself.
 */
export function providerOf({ provider, repo }: Pick<WorkspaceSpec, "provider" | "repo">): Provider {
  if (provider !== undefined) return provider;
  const host = hostOf(repo);
  const words = host.split(/[.-]/);
  if (host === "github.com" || words.includes("github") || words.includes("ghe")) return "github";
  if (words.includes("gitlab")) return "gitlab";
  if (OTHERS.some((word) => words.includes(word))) return "other";
  const isAddress = /^[\d.]+$/.test(host) || host.startsWith("[");
  const isLocal = !host.includes(".") || /\.(local|internal|svc|localhost|test)$/.test(host);
  return isAddress || isLocal ? "other" : "github";
}

const OTHERS = [
  "bitbucket",
  "codeberg",
  "gitea",
  "forgejo",
  "gogs",
  "sr",
  "azure",
  "visualstudio",
  "codecommit",
  "gerrit",
  "googlesource",
];

export const isGitHubDotCom = (repo: string): boolean => hostOf(repo) === "github.com";

/** The user a token is presented under; one in the address wins. */
export function tokenUser(workspace: Pick<WorkspaceSpec, "provider" | "repo">): string {
  try {
    const { username } = new URL(workspace.repo);
    if (username !== "") return decodeURIComponent(username);
  } catch {
    // git@host:path has no token.
  }
  return providerOf(workspace) === "gitlab" ? "oauth2" : "x-access-token";
}
