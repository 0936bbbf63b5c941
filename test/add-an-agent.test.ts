import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { bundledAgentTypes } from "../src/contract/resources/agent-types.ts";
import registry from "../src/core/agents/registry/agents.json" with { type: "json" };
import { AgentDefinition, LaunchConfig } from "../src/core/agents/registry/definition-schema.ts";
import { packages } from "./real-agents/pins.ts";

const root = join(import.meta.dirname, "..");
const text = readFileSync(join(root, "docs/internals/add-an-agent.md"), "utf8");
const links = [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = ""]) =>
  normalize(`docs/internals/${link}`),
);

describe("the page on adding an agent", () => {
  test("leads nowhere in vain", () => {
    for (const link of links) expect(existsSync(join(root, link)), link).toBe(true);
  });

  test("knows every source that knows an agent by name", () => {
    const known = (file: string) => links.some((link) => file === link || file.startsWith(`${link}/`));
    const sources = ["src", "scripts"].flatMap(filesIn).filter((file) => !OTHER.test(file) && namesAgent(file));
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.filter((file) => !known(file))).toEqual([]);
  });

  test("links no source that no longer does", () => {
    const about = (link: string) =>
      filesIn("src").some((file) => (file === link || file.startsWith(`${link}/`)) && namesAgent(file));
    const data = /\.json$/;
    for (const link of links.filter((link) => link.startsWith("src/") && !data.test(link))) {
      expect(about(link), link).toBe(true);
    }
  });

  test.each([
    ["an entry", Object.keys(AgentDefinition.in.shape)],
    ["its launch settings", Object.keys(LaunchConfig.shape)],
  ])("names every field of %s", (_, fields) => {
    for (const field of fields) expect(text).toContain(`\`${field}\``);
  });

  test("says how far each agent goes", () => {
    const rows = [...text.matchAll(/^\| ([\w-]+) \| (.*) \|$/gm)].filter(([, id]) => ids.includes(id ?? ""));
    const table = rows.map(([, id = "", cells = ""]) => [id, ...cells.split(" | ")]);
    expect(table).toEqual(registry.agents.map(({ id, protocol }) => rowOf(id, protocol)).filter(isMoreThanJson));
  });

  test("and which pod types there are, each with its image", () => {
    const images = readdirSync(join(root, "images"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    // The base of all, and the one of the supervisor.
    const types = images.map(({ name }) => name).filter((name) => name !== "base" && name !== "agent");
    expect(types.sort()).toEqual([...bundledAgentTypes].sort());
    for (const type of bundledAgentTypes) expect(readFileSync(join(root, "images/build"), "utf8")).toContain(type);
  });
});

const ids = registry.agents.map(({ id }) => id);

function rowOf(id: string, protocol = "acp"): string[] {
  const has = (path: string) => (existsSync(join(root, path)) ? "yes" : "no");
  const type = bundledAgentTypes.find((name) => name === id || name === `${id}-code`);
  return [
    id,
    protocol,
    has(`src/core/screens/drivers/${id}.ts`),
    type !== undefined && has(`src/cluster/pod/container/${id}.ts`) === "yes" ? type : "no",
    has(`src/cluster/pod/meters/${id}.ts`),
    Object.hasOwn(packages, id) ? "yes" : "no",
  ];
}

const isMoreThanJson = ([, , ...rest]: readonly string[]): boolean => rest.some((cell) => cell !== "no");

/** Tests and what only they use; the demo is an agent of ours. */
const OTHER = /\.test\.ts$|\/test-[\w-]+\.ts$|^src\/demo\//;

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

const NAMES = [...new Set([...Object.keys(packages), ...bundledAgentTypes, "codex-exec"])].join("|");
/** As a value or as the key of a table; what a comment says decides nothing. */
const IN_TEXT = new RegExp(`(["'\`])(${NAMES})\\1|^\\s*(${NAMES}):`, "m");
const IN_NAME = new RegExp(`/(${NAMES})[./-]`);

function namesAgent(file: string): boolean {
  if (IN_NAME.test(file)) return true;
  const code = readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  return IN_TEXT.test(code);
}
