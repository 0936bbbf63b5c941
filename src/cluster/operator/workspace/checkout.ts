import { REPO_PATH, TOKEN_DIR } from "../../../contract/resources/names.ts";
import type { WorkspaceSpec } from "../../../contract/resources/workspace.ts";
import type { EnvEntry } from "../../kube/objects.ts";
import { hostWithPort, tokenUser } from "./host.ts";

export const SSH_DIR = "/kelos/ssh";
export const FILES_DIR = "/kelos/files";
export const TOKEN_KEY = "GITHUB_TOKEN";
export const SSH_KEY = "ssh-privatekey";

/** What the Secret of a Workspace holds: told by its keys. */
export type WorkspaceSecret = "token" | "ssh" | undefined;

/**
 * The script of the `git-clone` container. It is the same for every Task: all that differs comes in variables, so nothing a
 * Workspace or Task says is ever read as shell. Nothing of the machine's or the repository's configuration takes part.
 */
export const CHECKOUT_SCRIPT = `set -eu
export HOME=/tmp/home GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=true GIT_LFS_SKIP_SMUDGE=1
export GIT_ALLOW_PROTOCOL=https:http:git:ssh
mkdir -p "$HOME"
rm -rf ${REPO_PATH}

safe_git() {
  git -c advice.detachedHead=false -c core.hooksPath=/dev/null -c core.fsmonitor=false -c protocol.ext.allow=never -c protocol.file.allow=never \\
    -c credential.helper= -c "$COX_CREDENTIAL_KEY=$COX_CREDENTIAL_HELPER" -c "$COX_CREDENTIAL_USER_KEY=$COX_CREDENTIAL_USER" \\
    -c safe.directory=${REPO_PATH} "$@"
}

depth=
[ "$COX_DEPTH" = 0 ] || depth="--depth=$COX_DEPTH"

if printf %s "$COX_REF" | grep -Eqx '[0-9a-f]{40}|[0-9a-f]{64}'; then
  safe_git init -q --template= ${REPO_PATH}
  cd ${REPO_PATH}
  safe_git remote add origin "$COX_REPO"
  safe_git fetch -q $depth origin "$COX_REF"
  safe_git checkout -q --detach FETCH_HEAD
else
  set -- --template= --no-single-branch
  [ -z "$depth" ] || set -- "$@" "$depth"
  [ -z "$COX_REF" ] || set -- "$@" "--branch=$COX_REF"
  safe_git clone -q "$@" -- "$COX_REPO" ${REPO_PATH}
  cd ${REPO_PATH}
fi

# The agent pushes with the same credentials: they stay a file, which follows a rotated Secret.
if [ -n "$COX_HAS_TOKEN" ]; then
  git config "$COX_CREDENTIAL_KEY" "$COX_CREDENTIAL_HELPER"
  git config "$COX_CREDENTIAL_USER_KEY" "$COX_CREDENTIAL_USER"
fi

printf %s "$COX_REMOTES" | while IFS=' ' read -r name url; do
  [ -z "$name" ] || safe_git remote add -- "$name" "$url"
done

if [ -n "$COX_BRANCH" ]; then
  status=0
  safe_git ls-remote --exit-code --heads origin "refs/heads/$COX_BRANCH" >/dev/null || status=$?
  if [ "$status" = 0 ]; then
    safe_git fetch -q $depth origin "+refs/heads/$COX_BRANCH:refs/remotes/origin/$COX_BRANCH"
    safe_git checkout -q -B "$COX_BRANCH" --track "origin/$COX_BRANCH"
  elif [ "$status" = 2 ]; then
    safe_git checkout -q -B "$COX_BRANCH"
  else
    echo "the remote could not be asked for branch $COX_BRANCH" >&2
    exit "$status"
  fi
fi

if [ -n "$COX_SUBMODULES" ]; then
  safe_git submodule --quiet update --init --recursive $depth
fi

printf %s "$COX_FILES" | while IFS=' ' read -r key path; do
  [ -n "$key" ] || continue
  folder=$(dirname "./$path")
  mkdir -p "$folder"
  # A repository may have a link where the file goes: it must not lead anywhere else.
  case "$(cd "$folder" && pwd -P)/" in "${REPO_PATH}"/*) ;; *) echo "$path: leads out of the repository" >&2; exit 1 ;; esac
  rm -f "./$path"
  cp "${FILES_DIR}/$key" "./$path"
  chmod 0644 "./$path"
done
`;

export function checkoutVariables(
  workspace: WorkspaceSpec,
  branch: string | undefined,
  secret: WorkspaceSecret,
): EnvEntry[] {
  const scheme = /^https?(?=:)/.exec(workspace.repo)?.[0] ?? "https";
  const scope = `credential.${scheme}://${hostWithPort(workspace.repo)}`;
  const helper = `!f() { test "$1" = get && echo "password=$(cat ${TOKEN_DIR}/${TOKEN_KEY})"; }; f`;
  const lines = (list: readonly string[]) => list.map((line) => `${line}\n`).join("");
  const values: Record<string, string> = {
    COX_REPO: workspace.repo,
    COX_REF: workspace.ref ?? "",
    COX_BRANCH: branch ?? "",
    COX_DEPTH: String(workspace.depth ?? 1),
    COX_SUBMODULES: workspace.submodules ? "1" : "",
    COX_REMOTES: lines((workspace.remotes ?? []).map(({ name, url }) => `${name} ${url}`)),
    COX_FILES: lines((workspace.files ?? []).map(({ path }, at) => `${fileKey(at)} ${path}`)),
    COX_HAS_TOKEN: secret === "token" ? "1" : "",
    COX_CREDENTIAL_KEY: `${scope}.helper`,
    COX_CREDENTIAL_HELPER: secret === "token" ? helper : "",
    COX_CREDENTIAL_USER_KEY: `${scope}.username`,
    COX_CREDENTIAL_USER: tokenUser(workspace),
    ...sshVariables(secret),
  };
  return Object.entries(values).map(([name, value]) => ({ name, value: literal(value) }));
}

/** For whoever runs git in the pod, the agent too. */
export function sshVariables(secret: WorkspaceSecret): Record<string, string> {
  if (secret !== "ssh") return {};
  const known = `-o UserKnownHostsFile=${SSH_DIR}/known_hosts`;
  return {
    GIT_SSH_COMMAND: `ssh -F /dev/null -i ${SSH_DIR}/${SSH_KEY} -o IdentitiesOnly=yes -o StrictHostKeyChecking=yes ${known}`,
  };
}

export const fileKey = (at: number): string => `file-${at}`;

/** `$(NAME)` in a value is another variable to Kubernetes; doubled, it is text. */
export const literal = (value: string): string => value.replaceAll("$(", "$$$$(");
