import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VERSION } from "../../src/lib/base/version.ts";
import { root, scene } from "../support/cox.ts";

const manifest: { version: string; dependencies: object } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);

/** As a user writes it: what is right must compile, what is wrong must not. */
const typed = `import { type Agent, AppError, createAgent } from "coxswain";
const say = async (agent: Agent): Promise<string> => {
  const session = await agent.open({ cwd: process.cwd() });
  let said = "";
  for await (const event of session.runStreamed("@say from the library")) {
    if (event.type === "message_chunk") said += event.text;
    // @ts-expect-error: a text is no number
    if (event.type === "message_chunk") event.text satisfies number;
    // @ts-expect-error: there is no such event
    if (event.type === "nonsense") throw new AppError("internal", "nonsense");
  }
  await session.close();
  return said;
};
void say(createAgent({ type: "demo" })).then((said) => console.log(said));
declare const process: { cwd(): string };
`;

const projects = {
  "ES modules": { type: "module", module: "NodeNext" },
  CommonJS: { type: "commonjs", module: "NodeNext" },
  bundler: { type: "module", module: "ESNext", moduleResolution: "Bundler" },
};

describe("the package", () => {
  test("knows its version", () => {
    expect(VERSION).toBe(manifest.version);
  });

  test("packed and installed in an empty folder, it runs, compiles and is loaded", { timeout: 120_000 }, () => {
    const made = scene();
    const env = { ...process.env, HOME: made.folder, COX_HOME: made.home, DEMO_SPEED: "0" };
    const npm = (cwd: string, ...args: string[]) =>
      execFileSync("npm", args, { cwd, env, encoding: "utf8", stdio: "pipe" });
    const packed = npm(root, "pack", "--ignore-scripts", "--json", "--pack-destination", made.folder);
    const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    const foreign = paths.filter((path) => !/^(bin|dist)\/|^(package\.json|README\.md|LICENSE)$/.test(path));
    expect(foreign, "only what is meant to be in it").toEqual([]);
    expect(paths).toContain("dist/sbom.cdx.json");
    const folder = join(made.folder, "user");
    mkdirSync(folder);
    npm(folder, "init", "-y");
    npm(folder, "install", "--no-audit", "--no-fund", "--prefer-offline", join(made.folder, filename));

    const shown = execFileSync(join(folder, "node_modules/.bin/cox"), ["demo"], { cwd: folder, env, encoding: "utf8" });
    expect(shown).toContain("I am the demo agent");
    expect(shown).toContain("cox ls");

    for (const [name, { type, ...compilerOptions }] of Object.entries(projects)) {
      const project = join(folder, name);
      mkdirSync(project);
      const wanted = {
        target: "ES2022",
        strict: true,
        types: [],
        skipLibCheck: false,
        exactOptionalPropertyTypes: true,
      };
      writeFileSync(join(project, "package.json"), JSON.stringify({ type }));
      writeFileSync(
        join(project, "tsconfig.json"),
        JSON.stringify({ compilerOptions: { ...wanted, ...compilerOptions } }),
      );
      writeFileSync(join(project, "main.ts"), typed);
      expect(compiled(project), name).toBe("");
      const said = execFileSync(process.execPath, [join(project, "main.js")], { cwd: folder, env, encoding: "utf8" });
      expect(said, name).toBe("from the library\n");
    }
  });
});

/** What the compiler has to say. */
function compiled(project: string): string {
  try {
    return execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", project], { encoding: "utf8" });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
