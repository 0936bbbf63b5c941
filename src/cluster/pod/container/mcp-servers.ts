import { readFileSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import { isObject, type Json, listOf, objectOf, textOf } from "../../../core/protocols/read.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";

/**
 * `{"mcpServers":{"name":{type,command,args,env,url,headers}}}`, as agents' own files have it. A value that is secret is not in
 * it: in its place stands `${file:PATH}`, and the file is mounted from its Secret.
 */
export function mcpServersIn(json: string | undefined): McpServer[] {
  if (json === undefined) return [];
  const servers = isObject(parse(json)) ? objectOf(objectOf(parse(json)).mcpServers) : undefined;
  if (servers === undefined) {
    throw new AppError("config.invalid", 'KELOS_MCP_SERVERS: is not JSON of the form {"mcpServers":{…}}');
  }
  return Object.entries(servers).map(([name, server]) => serverOf(name, objectOf(server)));
}

function serverOf(name: string, server: Json): McpServer {
  const command = textOf(server.command);
  const url = textOf(server.url);
  const texts = (value: unknown) => resolved(name, value);
  if (command !== undefined) {
    const args = listOf(server.args).map(String);
    return { name, transport: { type: "stdio", command, args, env: texts(server.env) } };
  }
  if (url !== undefined) {
    const type = server.type === "sse" ? "sse" : "http";
    return { name, transport: { type, url, headers: texts(server.headers) } };
  }
  throw new AppError("config.invalid", `KELOS_MCP_SERVERS: ${name}: has neither a command nor a url`);
}

/** A map, or a list of `{name, value}`. */
function resolved(server: string, value: unknown): Record<string, string> {
  const pairs = Array.isArray(value)
    ? value.map((entry): [string, unknown] => [textOf(objectOf(entry).name) ?? "", objectOf(entry).value])
    : Object.entries(objectOf(value));
  return Object.fromEntries(
    pairs.flatMap(([key, text]) =>
      typeof text === "string" && key !== "" ? [[key, secretOr(server, key, text)]] : [],
    ),
  );
}

function secretOr(server: string, key: string, text: string): string {
  const file = /^\$\{file:([^}]+)\}$/.exec(text)?.[1];
  if (file === undefined) return text;
  try {
    // Editors and `echo` leave a newline that is no part of a token.
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    const message = `MCP server ${server}: ${key}: ${file} can't be read (${errnoOf(error)}); is its Secret mounted?`;
    throw new AppError("config.invalid", message, {}, { cause: error });
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
