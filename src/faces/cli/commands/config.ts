import { AppError } from "../../../contract/errors.ts";
import { loadRegistry } from "../../../core/agents/registry/registry.ts";
import { configPath, readConfig, writeConfig } from "../../../core/config/config-file.ts";
import { type ConfigKey, configKeys, isConfigKey } from "../../../core/config/config-keys.ts";
import { homePath } from "../../../core/store/home.ts";
import { command } from "../../../lib/command/command.ts";
import { group } from "../../../lib/command/group.ts";
import { renderTable } from "../../../lib/command/table.ts";

const getCommand = command({
  name: "config get",
  summary: "Print a setting, or all of them with what they mean.",
  usage: "cox config get [KEY]",
  examples: ["cox config get timeout"],
  words: [0, 1],
  options: {},
  async run({ positionals: [key] }, { env, stdout }) {
    const root = homePath(env);
    if (key !== undefined) return get(root, requireKey(key), stdout);
    stdout.write(await list(root));
    return 0;
  },
});

const setCommand = command({
  name: "config set",
  summary: "Change a setting.",
  usage: "cox config set KEY VALUE",
  words: [2, 2],
  options: {},
  examples: ["cox config set agent claude", "cox config set view.thinking hide"],
  async run({ positionals: [key = "", value = ""] }, { env }) {
    const root = homePath(env);
    if (requireKey(key) === "agent") (await loadRegistry(root)).get(value); // or says which there are
    await writeConfig(root, requireKey(key), value);
    return 0;
  },
});

const unsetCommand = command({
  name: "config unset",
  summary: "Go back to what holds without it.",
  usage: "cox config unset KEY",
  words: [1, 1],
  options: {},
  examples: ["cox config unset timeout"],
  async run({ positionals: [key = ""] }, { env }) {
    await writeConfig(homePath(env), requireKey(key), undefined);
    return 0;
  },
});

const pathCommand = command({
  name: "config path",
  summary: "Print where the file is.",
  usage: "cox config path",
  examples: ["$EDITOR $(cox config path)"],
  words: [0, 0],
  options: {},
  run(_, { env, stdout }) {
    stdout.write(`${configPath(homePath(env))}\n`);
    return 0;
  },
});

export default group({
  name: "config",
  summary: "Look at and change the settings in config.yaml.",
  verbs: { get: getCommand, set: setCommand, unset: unsetCommand, path: pathCommand },
  otherwise: "get",
  examples: [
    "cox config get                     all keys, their values and what they mean",
    "cox config set agent claude",
    "cox config unset timeout",
  ],
});

function requireKey(text: string): ConfigKey {
  if (isConfigKey(text)) return text;
  throw new AppError(
    "usage.invalid",
    `cox config: unknown key ${text}; valid keys are ${Object.keys(configKeys).join(", ")}`,
  );
}

async function list(root: string): Promise<string> {
  const config = await readConfig(root);
  return renderTable(
    Object.entries(configKeys).map(([key, { help }]) => [key, String(config[key as ConfigKey] ?? "-"), help]),
  );
}

/** As `git config`: a key that isn't set prints nothing and fails. */
async function get(root: string, key: ConfigKey, stdout: NodeJS.WriteStream): Promise<number> {
  const value = (await readConfig(root))[key];
  if (value === undefined) return 1;
  stdout.write(`${value}\n`);
  return 0;
}
