import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

/**
 * Folders are the architecture. Layers say which way imports may go at all; within that, each room imports what the table in
 * ARCHITECTURE.md lists for it, and nothing is listed that it doesn't use.
 */
const layers: Record<string, readonly string[]> = {
  contract: [],
  lib: ["contract", "lib"],
  core: ["contract", "lib", "core"],
  faces: ["contract", "lib", "core"],
  terminal: ["contract", "lib", "core", "terminal"],
  cluster: ["contract", "lib", "core", "cluster"],
  demo: ["contract", "lib"],
  app: ["contract", "lib", "core", "faces", "terminal", "cluster"],
  "index.ts": ["contract", "faces"],
};

/** What every room may use. */
const common = ["contract", "lib/base", "lib/files", "lib/text"];

const root = resolve(import.meta.dirname, "..");
const source = join(root, "src");

type Rules = Record<string, readonly string[]>;

interface Import {
  file: string;
  target: string;
}

const layerOf = (path: string): string => path.split("/")[0] ?? "";

/** `core/store`, `contract`: layers that are one room have no second name. */
function roomOf(path: string): string {
  const [layer = "", room = ""] = path.split("/");
  return ["lib", "core", "faces", "terminal", "cluster"].includes(layer) ? `${layer}/${room}` : layer;
}

/** The rows of ARCHITECTURE.md's table: room, what it holds, what it may import. */
function tableOf(page: string): Rules {
  const rows = page.matchAll(/^\| ([a-z]+\/[a-z]*|index\.ts) \| .* \| (.*) \|$/gm);
  return Object.fromEntries(
    [...rows].map(([, room = "", may = ""]) => [
      room.replace(/\/$/, ""),
      may === "–" ? [] : may.split(" ").map((name) => name.replace(/\/$/, "")),
    ]),
  );
}

const table = tableOf(readFileSync(join(root, "ARCHITECTURE.md"), "utf8"));

function violations(imports: readonly Import[]): string[] {
  return imports.flatMap(({ file, target }) => {
    const from = roomOf(file);
    if (!target.startsWith(".")) {
      return from === "contract" && target.startsWith("node:") ? [`${file} imports ${target}`] : [];
    }
    const path = join(dirname(file), target);
    const to = roomOf(path);
    if (to === from) return [];
    const rules = table[from];
    if (rules === undefined) return [`${file} is in a folder the table doesn't know`];
    const allowed = rules.includes("everything") || rules.includes(to) || (from !== "contract" && common.includes(to));
    const inOrder = layers[layerOf(file)]?.includes(layerOf(path)) === true;
    return allowed && inOrder ? [] : [`${file} imports ${path}`];
  });
}

/** `import … from "x"`, `import "x"`, `export … from "x"`, `import("x")`. */
const statement =
  /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g;

const isSource = (name: string): boolean =>
  /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !/(^|\/)test-[\w-]+\.ts$/.test(name);

function importsOf(folder: string): Import[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(isSource)
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      return [...text.matchAll(statement)].map((match) => ({ file: name, target: match[1] ?? match[2] ?? "" }));
    });
}

describe("the import table", () => {
  const imports = importsOf(source);

  test("holds", () => {
    expect(imports.length).toBeGreaterThan(1000); // a scanner that finds nothing would be green too
    expect(violations(imports)).toEqual([]);
  });

  test("lists every room, and no more than is used", () => {
    const used = new Set(imports.map(({ file, target }) => `${roomOf(file)} ${roomOf(join(dirname(file), target))}`));
    const rooms = new Set(imports.map(({ file }) => roomOf(file)));
    expect(Object.keys(table).toSorted()).toEqual([...rooms].toSorted());
    const permissions = Object.entries(table).flatMap(([room, may]) => may.map((other) => `${room} ${other}`));
    expect(permissions.filter((one) => !one.endsWith(" everything") && !used.has(one))).toEqual([]);
  });

  test.each([
    ["a server that starts runs", "faces/server/app.ts", "../../core/runner/run.ts"],
    ["a server that launches", "faces/server/app.ts", "../../core/launch/detach.ts"],
    ["a contract that needs Node", "contract/run.ts", "node:fs"],
    ["a contract that leans on lib", "contract/run.ts", "../lib/base/clock.ts"],
    ["a lib that has a domain", "lib/process/child.ts", "../../core/store/home.ts"],
    ["a protocol that spawns", "core/protocols/acp/session.ts", "../../../lib/process/child.ts"],
    ["a store that knows the runner", "core/store/home.ts", "../runner/run.ts"],
    ["a core that knows a face", "core/runs/run-access.ts", "../../faces/cli/chat.ts"],
    ["a core that knows the terminal's host", "core/runner/run.ts", "../../terminal/host/host.ts"],
    ["a face that uses another", "faces/cli/checks.ts", "../server/start.ts"],
    ["a library that uses the command line", "faces/library/run.ts", "../cli/answer-words.ts"],
    ["a library's door that opens elsewhere", "index.ts", "./faces/cli/run-options.ts"],
    ["a face that reaches a cluster", "faces/cli/checks.ts", "../../cluster/kube/client.ts"],
    ["a terminal that uses a face", "terminal/host/host.ts", "../../faces/cli/run-options.ts"],
    ["a cluster that uses a terminal", "cluster/pod/capture.ts", "../../terminal/host/host.ts"],
    ["a demo agent that knows the product", "demo/agent.ts", "../core/store/home.ts"],
    ["somebody who uses the composition root", "faces/cli/checks.ts", "../../app/main.ts"],
    ["a folder nobody planned", "core/misc/x.ts", "../store/home.ts"],
  ])("refuses %s", (_, file, target) => {
    expect(violations([{ file, target }])).toHaveLength(1);
  });
});

/** The page's own layers: what everybody may use, parts of several screens, screens, and the shell that shows them. */
const pageLayers = [
  ["base", "style", "router.tsx"],
  ["api", "ui", "text"],
  ["tasks", "requests", "transcript", "review"],
  ["agents", "board", "bus", "cluster", "cost", "inbox", "session", "settings", "terminals", "tree"],
  ["shell"],
  ["main.tsx"],
];

function pageViolations(imports: readonly Import[]): string[] {
  const level = (folder: string) => pageLayers.findIndex((names) => names.includes(folder));
  return imports.flatMap(({ file, target }) => {
    if (!target.startsWith(".")) return [];
    const path = join("web/src", dirname(file), target);
    // Of the product a page uses what runs in a browser.
    if (!path.startsWith("web/src/")) {
      return /^src\/(contract\/|lib\/client\/|lib\/text\/)/.test(path) ? [] : [`${file} imports ${path}`];
    }
    const [from, to] = [layerOf(file), layerOf(path.slice("web/src/".length))];
    if (from === to) return [];
    const low = level(from) <= 1 && level(from) === level(to); // the lowest may use each other
    return level(from) > level(to) || low ? [] : [`${file} imports ${path}`];
  });
}

describe("the page's folders", () => {
  test("import downwards only", () => {
    const imports = importsOf(join(root, "web/src"));
    expect(imports.length).toBeGreaterThan(300);
    expect(pageViolations(imports)).toEqual([]);
  });

  test.each([
    ["a screen that uses another", "session/session.tsx", "../board/card.tsx"],
    ["a part that knows a screen", "requests/what.tsx", "../inbox/inbox.tsx"],
    ["a screen that knows the shell", "board/board.tsx", "../shell/app.tsx"],
    ["a page that needs Node", "api/client.ts", "../../../src/core/store/home.ts"],
  ])("refuse %s", (_, file, target) => {
    expect(pageViolations([{ file, target }])).toHaveLength(1);
  });
});

describe("files", () => {
  const names = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const lines = (name: string) => readFileSync(join(source, name), "utf8").split("\n").length - 1;

  test("none is longer than 300 lines", () => {
    expect(names.filter(isSource).filter((name) => lines(name) > 300)).toEqual([]);
  });

  /** One file per entry: commands, and the operations of the API. */
  const tables = ["faces/cli/commands", "app/commands", "app/commands/k8s", "faces/server/routes"];

  test("no folder is a heap", () => {
    const folders = [...new Set(names.map((name) => dirname(name)))].filter((folder) => !tables.includes(folder));
    const heaps = folders.filter((folder) => names.filter((name) => dirname(name) === folder).length > 16);
    expect(heaps).toEqual([]);
  });

  test("only lib/process, the demo agent and whoever starts a host start programs", () => {
    const starters = importsOf(source).filter(({ target }) => target === "node:child_process");
    const strangers = starters.filter(({ file }) => !/^(lib\/process|demo)\//.test(file));
    expect(strangers.map(({ file }) => file)).toEqual(["core/launch/detach.ts"]);
  });
});
