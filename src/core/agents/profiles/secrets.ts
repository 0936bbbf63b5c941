import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import { expandPath } from "../discovery/expand-path.ts";
import type { ProfileWishes } from "../launch/launch.ts";
import type { McpEntry, Profile } from "./profile.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** A profile with its secrets read: only in memory, and only when a run is about to start. */
export interface OpenedProfile {
  wishes: ProfileWishes;
  mcpServers: McpServer[];
}

export function openProfile(name: string, profile: Profile, env: Variables): OpenedProfile {
  const read = (place: string, text: string) => readSecret(`profile ${name}: ${place}`, text, env);
  const { token, base_url: baseUrl, switches, home } = profile;
  return {
    wishes: {
      baseUrl,
      token: token === undefined ? undefined : read("token", token),
      env: profile.env,
      switches,
      home,
    },
    mcpServers: Object.entries(profile.mcp_servers ?? {}).map(([server, entry]) => mcpServer(server, entry, read)),
  };
}

/** `env:NAME` and `file:PATH` are read, after a `Bearer ` too; anything else is the value. */
export function readSecret(place: string, text: string, env: Variables): string {
  const { prefix, kind, name } = reference(text) ?? { prefix: "", kind: "value", name: text };
  const not = (why: string) => new AppError("agent.not_ready", `${place}: ${text}: ${why}`);
  if (kind === "value") return text;
  if (kind === "env") {
    const value = env[name];
    if (value === undefined || value === "") throw not(`the variable ${name} is not set`);
    return prefix + value;
  }
  const file = expandPath(name, env);
  if (file === undefined || !isAbsolute(file)) throw not("name the file by its whole path");
  try {
    const value = readFileSync(file, "utf8").trim();
    if (value !== "") return prefix + value;
  } catch (error) {
    throw not(`can't be read (${errnoOf(error)})`);
  }
  throw not("the file is empty");
}

export const isReference = (text: string): boolean => reference(text) !== undefined;

function reference(text: string): { prefix: string; kind: string; name: string } | undefined {
  const [, prefix = "", kind = "", name = ""] = /^(Bearer )?(env|file):(.+)$/.exec(text) ?? [];
  return kind === "" ? undefined : { prefix, kind, name };
}

function mcpServer(name: string, entry: McpEntry, read: (place: string, text: string) => string): McpServer {
  const all = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([key, text]) => [key, read(`mcp_servers.${name}.${key}`, text)]));
  const { command, args, env, type, url = "", headers } = entry;
  if (command === undefined) return { name, transport: { type, url, headers: all(headers) } };
  return { name, transport: { type: "stdio", command, args, env: all(env) } };
}
