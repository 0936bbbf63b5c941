import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { agentConfigs } from "../../../cluster/kube/resource.ts";
import { createObjects, createOptions } from "../../../cluster/tasks/create-object.ts";
import { invalid, requireName } from "../../../cluster/tasks/task-spec.ts";
import { AppError, messageOf } from "../../../contract/errors.ts";
import { AgentConfigSpec } from "../../../contract/resources/agent-config.ts";
import { API_VERSION } from "../../../contract/resources/names.ts";
import { isObject } from "../../../core/protocols/read.ts";
import { command } from "../../../lib/command/command.ts";

const spec = command({
  name: "k8s create agentconfig",
  summary:
    "Create an AgentConfig: instructions, skills, sub-agents and MCP servers for agents. @FILE stands for a file's content.",
  usage: "cox k8s create agentconfig NAME [options]",
  words: [1, 1],
  options: {
    "agents-md": { value: "TEXT|@FILE", help: "instructions the agent reads before every prompt" },
    skill: { value: "NAME=@FILE", repeat: true, help: "a skill, as its SKILL.md (repeatable)" },
    agent: { value: "NAME=@FILE", repeat: true, help: "a sub-agent, as its Markdown (repeatable)" },
    plugin: { value: "NAME", help: "the plugin that skills and sub-agents are put into (cox)" },
    mcp: {
      value: "NAME=JSON",
      repeat: true,
      help: "an MCP server: {type, command, args, env, url, headers, headersFrom …}",
    },
    ...createOptions,
  },
  examples: [
    "cox k8s create agentconfig team --agents-md @AGENTS.md --skill review=@review.md",
    'cox k8s create agentconfig docs --mcp \'docs={"type":"http","url":"https://docs.example/mcp","headersFrom":{"secretRef":{"name":"docs"}}}\'',
  ],
  async run({ values, positionals }, context) {
    const name = requireName(positionals[0] ?? "");
    const read = (text: string) => (text.startsWith("@") ? fileOf(resolve(context.cwd, text.slice(1))) : text);
    const parts = (pairs: readonly string[] = []) =>
      pairs.map(cut).map(([key, text]) => ({ name: key, content: read(text) }));
    const [skills, agents] = [parts(values.skill), parts(values.agent)];
    const plugin = { name: values.plugin ?? "cox", ...listed("skills", skills), ...listed("agents", agents) };
    const wanted = {
      ...(values["agents-md"] === undefined ? {} : { agentsMD: read(values["agents-md"]) }),
      ...(skills.length + agents.length === 0 ? {} : { plugins: [plugin] }),
      ...listed(
        "mcpServers",
        (values.mcp ?? []).map(cut).map(([key, text]) => serverOf(key, read(text))),
      ),
    };
    if (Object.keys(wanted).length === 0)
      throw new AppError(
        "usage.invalid",
        `cox ${spec.name}: give at least one of --agents-md, --skill, --agent, --mcp`,
      );
    const parsed = AgentConfigSpec.safeParse(wanted);
    if (!parsed.success) throw invalid(parsed.error.issues);
    const make = (namespace: string) => [
      {
        resource: agentConfigs,
        object: { apiVersion: API_VERSION, kind: "AgentConfig", metadata: { name, namespace }, ...{ spec: wanted } },
      },
    ];
    return createObjects(make, values, context);
  },
});
export default spec;

const listed = (key: string, list: readonly object[]) => (list.length === 0 ? {} : { [key]: list });

function cut(pair: string): [string, string] {
  const at = pair.indexOf("=");
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new AppError("usage.invalid", `${JSON.stringify(pair.slice(0, 40))}: use NAME=VALUE or NAME=@FILE`);
}

function fileOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new AppError("usage.invalid", `@${path}: ${messageOf(error)}`, {}, { cause: error });
  }
}

/** Variables as agents' own files have them, a map, or as Kubernetes has them, a list. */
function serverOf(name: string, json: string): object {
  const server = parse(name, json);
  const { env } = server;
  if (!isObject(env)) return { ...server, name };
  return { ...server, name, env: Object.entries(env).map(([key, value]) => ({ name: key, value: String(value) })) };
}

function parse(name: string, json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return { ...value };
  } catch {
    // said below
  }
  throw new AppError("usage.invalid", `--mcp ${name}: is not a JSON object`);
}
