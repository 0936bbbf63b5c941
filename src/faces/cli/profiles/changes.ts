import { text } from "node:stream/consumers";
import { AppError } from "../../../contract/errors.ts";
import { profileKeys } from "../../../core/agents/profiles/profile.ts";
import { isReference } from "../../../core/agents/profiles/secrets.ts";
import type { Context } from "../../../lib/command/command.ts";

export interface SetValues {
  agent?: string;
  model?: string;
  "base-url"?: string;
  token?: string;
  env?: string[];
  permissions?: string;
  switch?: string[];
  home?: string;
  on?: string;
  image?: string;
  network?: string;
  tools?: string;
  unset?: string[];
}

/** What the command line changes. Maps are changed entry by entry; all else is replaced. */
export interface ProfileChanges {
  keys: Record<string, string | undefined>;
  env: Record<string, string>;
  switches: Record<string, boolean>;
}

export async function changesOf(values: SetValues, context: Context): Promise<ProfileChanges> {
  const keys: ProfileChanges["keys"] = {};
  for (const key of values.unset ?? []) keys[requireKey(key)] = undefined;
  const given = {
    agent: values.agent?.toLowerCase(),
    model: values.model,
    base_url: values["base-url"],
    permissions: values.permissions,
    home: values.home,
    on: values.on,
    image: values.image,
    network: values.network,
    tools: values.tools,
    token: values.token === undefined ? undefined : await tokenOf(values.token, context),
  };
  for (const [key, value] of Object.entries(given)) if (value !== undefined) keys[key] = value;
  return {
    keys,
    env: Object.fromEntries((values.env ?? []).map((word) => pair("--env", word))),
    switches: Object.fromEntries((values.switch ?? []).map(switchOf)),
  };
}

/** Never from the command line itself: that is in the shell's history, and visible to everybody on the machine. */
async function tokenOf(word: string, { stdin, stderr }: Context): Promise<string> {
  if (isReference(word)) return word;
  if (word !== "-") {
    throw new AppError(
      "usage.invalid",
      "--token: give env:NAME, file:PATH, or - to read it from stdin; a command line is no place for a secret",
    );
  }
  if (stdin.isTTY) stderr.write("paste the token, then press Enter and Ctrl-D:\n");
  const token = (await text(stdin)).trim();
  if (token === "") throw new AppError("usage.invalid", "--token -: nothing came on stdin");
  if (/\s/.test(token)) throw new AppError("usage.invalid", "--token -: more than one word came on stdin");
  return token;
}

function requireKey(key: string): string {
  if (profileKeys.includes(key)) return key;
  throw new AppError("usage.invalid", `--unset ${key}: unknown; choose of ${profileKeys.join(", ")}`);
}

function switchOf(word: string): [string, boolean] {
  const [name, value] = pair("--switch", word);
  if (value === "on" || value === "off") return [name, value === "on"];
  throw new AppError("usage.invalid", `--switch ${word}: use ${name}=on or ${name}=off`);
}

function pair(option: string, word: string): [string, string] {
  const at = word.indexOf("=");
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new AppError("usage.invalid", `${option} ${JSON.stringify(word.slice(0, 40))}: use NAME=VALUE`);
}
