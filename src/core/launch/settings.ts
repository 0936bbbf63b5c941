import type { Profile } from "../agents/profiles/profile.ts";
import { readProfile } from "../agents/profiles/profile-files.ts";
import { loadRegistry, type Registry } from "../agents/registry/registry.ts";
import { readConfig } from "../config/config-file.ts";
import type { Config } from "../config/config-keys.ts";

/**
 * What the person has set, for the start of one run: each file is read when it is first needed, and once, so that all parts of
 * the start go by the same. Whoever starts several makes a new one for each, and so sees what was changed meanwhile.
 */
export class Settings {
  readonly home: string;
  readonly #profiles = new Map<string, Promise<Profile>>();
  #config: Promise<Config> | undefined;
  #registry: Promise<Registry> | undefined;

  constructor(home: string) {
    this.home = home;
  }

  config(): Promise<Config> {
    this.#config ??= readConfig(this.home);
    return this.#config;
  }

  registry(): Promise<Registry> {
    this.#registry ??= loadRegistry(this.home);
    return this.#registry;
  }

  profile(name: string): Promise<Profile> {
    const profile = this.#profiles.get(name) ?? readProfile(this.home, name);
    this.#profiles.set(name, profile);
    return profile;
  }
}
