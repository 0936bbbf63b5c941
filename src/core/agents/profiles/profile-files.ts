import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { isName, requireName } from "../../../contract/ids.ts";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { diskError, errnoOf } from "../../../lib/files/disk-error.ts";
import { readOptional } from "../registry/optional-file.ts";
import type { Profile } from "./profile.ts";

/** `$COX_HOME/profiles/<name>.yaml`: one file each, readable by the person alone. */
export async function readProfile(home: string, name: string): Promise<Profile> {
  const text = readOptional(fileOf(home, name));
  if (text !== undefined) return parsed(name, text);
  const known = profileNames(home);
  const offer = known.length === 0 ? "there are none yet" : `there are ${known.join(", ")}`;
  const message = `profile ${name}: not found; ${offer}; make it with: cox profile set ${name} --agent AGENT`;
  throw new AppError("profile.not_found", message);
}

export const hasProfile = (home: string, name: string): boolean => existsSync(fileOf(home, name));

export function profileNames(home: string): string[] {
  const folder = join(home, "profiles");
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => file.slice(0, -".yaml".length))
      .filter(isName)
      .sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw diskError("list the profiles", folder, error);
  }
}

/** Changes single keys and leaves the rest of the file, comments too, as the person wrote it. `undefined` removes a key. */
export async function changeProfile(
  home: string,
  name: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<Profile> {
  const { parseDocument } = await import("yaml");
  const file = fileOf(home, name);
  const before = readOptional(file) ?? "";
  if (before !== "") await parsed(name, before);
  const document = parseDocument(before);
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) document.delete(key);
    else document.set(key, document.createNode(value));
  }
  const text = document.toString();
  const profile = await parsed(name, text);
  makeFolder(join(home, "profiles"));
  writeFileAtomic(file, text, { mode: 0o600, durable: true });
  return profile;
}

export function removeProfile(home: string, name: string): void {
  const file = fileOf(home, name);
  try {
    rmSync(file);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") throw new AppError("profile.not_found", `profile ${name}: not found`);
    throw diskError("remove the profile", file, error);
  }
}

const fileOf = (home: string, name: string) => join(home, "profiles", `${requireName("profile", name)}.yaml`);
const shownAs = (name: string) => `profiles/${name}.yaml`;

/** Who has no profile doesn't pay for reading one. */
async function parsed(name: string, text: string): Promise<Profile> {
  const { parseProfile } = await import("./profile-text.ts");
  return parseProfile(shownAs(name), text);
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("make the folder of the profiles", folder, error);
  }
}
