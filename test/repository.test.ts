import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseDocument } from "yaml";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));

const manifest: { version: string; engines: { node: string }; scripts: Record<string, string> } = JSON.parse(
  read("package.json"),
);

interface Workflow {
  on: Record<string, unknown>;
  jobs: Record<string, { permissions?: Record<string, string>; strategy?: { matrix: { node: number[] } } }>;
}
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`));

describe("what a newcomer starts from", () => {
  test.each(filesIn(".github").filter((path) => path.endsWith(".yml")))("%s is YAML", (path) => {
    const { errors, warnings } = parseDocument(read(path));
    expect([...errors, ...warnings]).toEqual([]);
  });

  test.each([
    ...filesIn(".github"),
    ".ci/run",
    ".devcontainer/devcontainer.json",
    "README.md",
    "CONTRIBUTING.md",
    "AGENTS.md",
  ])("%s names scripts that there are", (path) => {
    const named = [...read(path).matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|(test|start)\b)/g)];
    for (const [, script, short] of named) expect(Object.keys(manifest.scripts)).toContain(script ?? short);
  });

  test("the files that are named in CONTRIBUTING.md are there", () => {
    const named = [...read("CONTRIBUTING.md").matchAll(/\b(?:src|test|docs|scripts|images|deploy)\/[\w./-]*\w/g)];
    expect(named.length).toBeGreaterThan(5);
    for (const [path] of named) expect(existsSync(join(root, path)), path).toBe(true);
  });

  test("editors indent as the formatter does", () => {
    const { formatter } = JSON.parse(read("biome.json")) as {
      formatter: { indentStyle: string; indentWidth: number; lineWidth: number };
    };
    const settings = read(".editorconfig");
    expect(settings).toContain(`indent_style = ${formatter.indentStyle}\n`);
    expect(settings).toContain(`indent_size = ${formatter.indentWidth}\n`);
    expect(settings).toContain(`max_line_length = ${formatter.lineWidth}\n`);
  });

  test("the devcontainer's file is plain JSON", () => {
    expect(JSON.parse(read(".devcontainer/devcontainer.json"))).toHaveProperty("postCreateCommand");
  });
});

describe("the workflows", () => {
  test("try every Node that the package promises, from the oldest on", () => {
    const { jobs } = workflow("ci");
    const [oldest] = /\d+/.exec(manifest.engines.node) ?? [];
    for (const job of ["check", "linux"]) expect(jobs[job]?.strategy?.matrix.node).toEqual([Number(oldest), 22, 24]);
  });

  test("publish from tags alone, with provenance", () => {
    const { on, jobs } = workflow("release");
    expect(on).toEqual({ push: { tags: ["v*"] } });
    expect(jobs.publish).toMatchObject({ needs: "ci", permissions: { contents: "read", "id-token": "write" } });
    expect(read(".github/workflows/release.yml")).toContain("npm publish --provenance");
  });

  test("take other people's actions by their major version", () => {
    const used = filesIn(".github/workflows").flatMap((path) => [...read(path).matchAll(/uses: (\S+)/g)]);
    const others = used.map(([, action = ""]) => action).filter((action) => !action.startsWith("./"));
    expect(others.length).toBeGreaterThan(0);
    for (const action of others) expect(action).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
  });
});

test.each(filesIn("images").filter((path) => path.endsWith("Dockerfile")))("%s is built on this version", (path) => {
  const based = /^ARG BASE_IMAGE=\S*coxswain\S*\/base:(\S+)$/m.exec(read(path));
  if (!path.includes("/base/")) expect(based?.[1]).toBe(manifest.version);
});

test("nothing says npx with our name: outside this checkout that runs somebody else's package", () => {
  const texts = ["src", "web/src", "docs", "scripts", ".github"].flatMap(filesIn);
  const saying = [...texts, "README.md", "CONTRIBUTING.md", "package.json"].filter((path) =>
    /npx cox\b/.test(read(path)),
  );
  expect(saying).toEqual([]);
});
