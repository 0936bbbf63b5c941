import { AppError } from "../../../contract/errors.ts";
import { configPath, readConfig, writeConfig } from "../../../core/config/config-file.ts";
import { type ConfigKey, configKeys, isConfigKey } from "../../../core/config/config-keys.ts";
import { homePath } from "../../../core/store/home.ts";
import { command } from "../../../lib/command/command.ts";
import { renderTable } from "../../../lib/command/table.ts";

export default command({
  name: "config",
  summary: "Look at and change the settings in config.yaml.",
  usage: "cox config get [KEY] | set KEY VALUE | unset KEY | path",
  options: {},
  examples: [
    "cox config get                     all keys, their values and what they mean",
    "cox config set agent claude",
    "cox config set view.thinking hide",
    "cox config unset timeout",
  ],
  async run({ positionals }, { env, stdout }) {
    const root = homePath(env);
    const [verb = "get", key, value, ...more] = positionals;
    const given = [key, value].filter((word) => word !== undefined).length;
    if (more.length > 0 || !(words[verb] ?? []).includes(given)) {
      throw new AppError("usage.invalid", "cox config: use get [KEY], set KEY VALUE, unset KEY or path");
    }
    if (verb === "path") stdout.write(`${configPath(root)}\n`);
    else if (key === undefined) stdout.write(await list(root));
    else if (verb === "get") return get(root, requireKey(key), stdout);
    else await writeConfig(root, requireKey(key), value);
    return 0;
  },
});

/** How many words follow each verb. */
const words: Readonly<Record<string, readonly number[]>> = { get: [0, 1], set: [2], unset: [1], path: [0] };

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
