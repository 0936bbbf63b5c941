import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { root, type Scene, scene } from "../support/cox.ts";
import { startServer } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);

/** Each block is a whole program, and plain JavaScript: what is compiled is what is run. */
const page = readFileSync(join(root, "docs/user/library.md"), "utf8");
const programs = page.split(/^## /m).flatMap((part) => {
  const [heading = ""] = part.replace(/^# /, "").split("\n", 1);
  return [...part.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => ({ heading, code }));
});

describe("the examples of docs/user/library.md", () => {
  test("are there", () => {
    expect(programs.length).toBeGreaterThanOrEqual(7);
  });

  test("compile, strictly, against the library's types", async () => {
    const folder = temporaryFolder();
    const files = programs.map(({ code }, index) => {
      const file = join(folder, `example-${index}.mts`);
      writeFileSync(file, code);
      return file;
    });
    const compilerOptions = {
      paths: { coxswain: [join(root, "src/index.ts")] },
      typeRoots: [join(root, "node_modules/@types")],
    };
    const config = { extends: join(root, "tsconfig.json"), compilerOptions, files, include: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const { stdout } = await run(join(root, "node_modules/.bin/tsc"), ["-p", folder]).catch((error) => error);
    expect(stdout).toBe("");
  });

  describe("run", () => {
    let modules: string;
    beforeAll(() => {
      modules = join(temporaryFolder(), "node_modules");
      mkdirSync(modules);
      symlinkSync(root, join(modules, "coxswain"));
    });

    test.each(programs.map(({ heading, code }, index) => [index, heading, code] as const))(
      "%i: %s",
      async (index, _, code) => {
        const made = scene();
        await made.cox(["config", "set", "agent", "demo"]);
        const file = join(modules, "..", `example-${index}.mjs`);
        writeFileSync(file, code);
        const env = { ...made.env, ...(code.includes("COX_URL") ? await serverOf(made) : {}) };
        onTestFinished(async () => void (await made.cox(["stop", "--all"])));
        // Where nobody answers, nothing is asked.
        if (!/onRequest|\.answer\(/.test(code)) await made.cox(["config", "set", "permissions", "allow"]);
        const { stdout, stderr } = await run(process.execPath, [file], { cwd: made.workspace, env, timeout: 50_000 });
        expect(stderr).toBe("");
        expect(stdout).not.toBe("");
      },
    );
  });
});

async function serverOf(made: Scene): Promise<NodeJS.ProcessEnv> {
  const server = await startServer(made);
  onTestFinished(async () => void (await server.stop()));
  return { COX_URL: server.url, COX_TOKEN: server.token };
}
