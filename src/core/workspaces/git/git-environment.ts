/**
 * What git sees instead of the caller's environment and the repository's wishes. Opening a repository must not run it: hooks,
 * file-system monitors and background upkeep are off, nobody is asked for anything, and no editor or pager is started.
 */
export function gitEnvironment(
  caller: Readonly<Record<string, string | undefined>>,
  settings: readonly Setting[],
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(caller)) {
    // We may run inside somebody's git hook: its GIT_DIR or GIT_INDEX_FILE would send us to another repository.
    if (value !== undefined && (!name.startsWith("GIT_") || OWN_TO_THE_USER.test(name))) environment[name] = value;
  }
  Object.assign(environment, FIXED, extra);
  const all = [...SETTINGS, ...settings];
  // By environment and not by `-c`, because a name may contain an equals sign.
  environment.GIT_CONFIG_COUNT = String(all.length);
  for (const [i, [key, value]] of all.entries()) {
    environment[`GIT_CONFIG_KEY_${i}`] = key;
    environment[`GIT_CONFIG_VALUE_${i}`] = value;
  }
  return environment;
}

export type Setting = readonly [key: string, value: string];

/**
 * The system's and the person's own configuration stay in force: there are their identity, their credential helpers and the
 * folders they trust.
 */
const OWN_TO_THE_USER =
  /^GIT_(SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_SSL_\w+|(AUTHOR|COMMITTER)_(NAME|EMAIL)|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)$/;

const FIXED = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  // Empty, not missing: a missing one falls back to core.askPass of the repository.
  GIT_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_MERGE_AUTOEDIT: "no",
  GIT_PAGER: "cat",
  // A path as remote is fine, since submodules are never cloned; `ext::` would be a command.
  GIT_ALLOW_PROTOCOL: "https:http:ssh:file",
};

const SETTINGS: readonly Setting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.alternateRefsCommand", "true"],
  // A folder inside the repository that looks like a bare one would bring its own configuration.
  ["safe.bareRepository", "explicit"],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["push.recurseSubmodules", "no"],
  ["fetch.prune", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  // A signature would ask for a passphrase, by a program the repository may name.
  ["commit.gpgSign", "false"],
  ["merge.verifySignatures", "false"],
  ["log.showSignature", "false"],
  ["rerere.enabled", "false"],
  ["merge.autoStash", "false"],
  ["rebase.autoStash", "false"],
  // Would move other branches than the one we were asked to move.
  ["rebase.updateRefs", "false"],
  ["checkout.guess", "false"],
  ["color.ui", "false"],
  ["core.quotePath", "false"],
];
