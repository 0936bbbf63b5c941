import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

/**
 * Folders are the architecture. Every folder may import itself, contract/ and base/; beyond that only what this table says.
 * contract/ and base/ know nobody; contract/ runs in a browser, so it imports nothing of Node either.
 */
const allowed: Record<string, readonly string[] | "everything"> = {
  contract: [],
  base: [],
  process: [],
  protocols: [],
  store: [],
  client: [],
  http: [],
  agents: ["protocols", "process"],
  executors: ["process"],
  workspaces: ["process"],
  sessions: ["agents", "protocols", "executors", "process"],
  runner: ["sessions", "terminal", "agents", "store", "workspaces", "process"],
  host: ["runner", "store", "http"],
  tasks: ["store", "process", "client"],
  tools: ["client"],
  notify: ["store", "process"],
  demo: ["process"],
  capture: ["protocols", "agents", "process", "workspaces", "client"],
  terminal: ["process", "agents", "store", "http"],
  supervisor: ["workspaces", "process", "client", "http"],
  hub: ["client", "store", "http"],
  operator: ["agents", "client", "http"],
  server: ["store", "tasks", "agents", "workspaces", "hub", "notify", "client", "http"],
  cli: "everything",
};

const source = resolve(import.meta.dirname, "../src");

interface Import {
  file: string;
  target: string;
}

export function violations(imports: readonly Import[]): string[] {
  return imports.flatMap(({ file, target }) => {
    const from = file.split("/")[0] ?? "";
    if (target.startsWith("node:") || !target.startsWith(".")) {
      return from === "contract" && target.startsWith("node:") ? [`${file} imports ${target}`] : [];
    }
    const path = join(dirname(file), target);
    const to = path.split("/")[0] ?? "";
    const rules = file.includes("/") ? allowed[from] : "everything";
    if (rules === undefined) return [`${file} is in a folder this table doesn't know`];
    if (rules === "everything" || to === from || rules.includes(to)) return [];
    const common = to === "contract" || (to === "base" && from !== "contract");
    return common ? [] : [`${file} imports ${path}`];
  });
}

/** `import … from "x"`, `import "x"`, `export … from "x"`, `import("x")`. */
const statement =
  /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g;

function importsOf(folder: string): Import[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !/(^|\/)test-[\w-]+\.ts$/.test(name))
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      const found = text.matchAll(statement);
      return [...found].map((match) => ({ file: name, target: match[1] ?? match[2] ?? "" }));
    });
}

describe("the import table", () => {
  test("holds", () => {
    const imports = importsOf(source);
    expect(imports.length).toBeGreaterThan(100); // a scanner that finds nothing would be green too
    expect(violations(imports)).toEqual([]);
  });

  test.each([
    ["a server that starts runs", "server/app.ts", "../runner/run.ts"],
    ["a contract that needs Node", "contract/run.ts", "node:fs"],
    ["a contract that leans on base", "contract/run.ts", "../base/clock.ts"],
    ["a protocol that spawns", "protocols/acp/session.ts", "../../process/child.ts"],
    ["a store that knows the runner", "store/ledger.ts", "../runner/run.ts"],
  ])("refuses %s", (_, file, target) => {
    expect(violations([{ file, target }])).toHaveLength(1);
  });
});

describe("files", () => {
  test("none grows out of hand", () => {
    const long = readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => ({ name, lines: readFileSync(join(source, name), "utf8").split("\n").length }))
      .filter(({ lines }) => lines > 600);
    expect(long.map(({ name }) => relative(source, join(source, name)))).toEqual([]);
  });

  test("only process/ and the demo agent start programs", () => {
    const starters = importsOf(source).filter(({ target }) => target === "node:child_process");
    const strangers = starters.filter(({ file }) => !/^(process|demo)\//.test(file) && file !== "cli/detach.ts");
    expect(strangers).toEqual([]);
  });
});
