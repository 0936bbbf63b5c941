import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root, scene } from "../support/cox.ts";

const folder = join(root, "docs/user");
const pages = readdirSync(folder).filter((name) => name.endsWith(".md"));

/**
 * Every ```sh block of a page, in order, each with what a `<!-- before: … -->` comment above it prepares. A block that is only
 * to be read is fenced as ```text.
 */
function blocks(page: string): string[] {
  const text = readFileSync(join(folder, page), "utf8");
  return [...text.matchAll(/(?:<!-- before: (.*?) -->\n)?```sh\n(.*?)```/gs)].map(
    ([, before = "", block = ""]) => `${before}\n${block}`,
  );
}

describe("every command shown in the documentation works", () => {
  test.each(pages.filter((page) => blocks(page).length > 0))("%s", { timeout: 60_000 }, (page) => {
    const made = scene();
    const env = {
      ...made.env,
      PATH: `${join(root, "bin")}:${process.env.PATH}`,
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: "user.name",
      GIT_CONFIG_VALUE_0: "Tester",
      GIT_CONFIG_KEY_1: "user.email",
      GIT_CONFIG_VALUE_1: "tester@example.org",
    };
    const sh = (script: string) =>
      execFileSync("bash", ["-euo", "pipefail", "-c", script], {
        cwd: made.workspace,
        env,
        encoding: "utf8",
        stdio: "pipe",
        timeout: 45_000,
      });
    sh("git init -q . && echo hello > README.md && git add . && git commit -qm first");
    sh("cox config set agent demo && cox config set permissions allow");
    const script = join(made.folder, "page.sh");
    writeFileSync(script, blocks(page).join("\n"));
    expect(() => sh(`. ${script}`)).not.toThrow();
  });

  test("and every link between pages leads somewhere", () => {
    const files = [
      "README.md",
      "ARCHITECTURE.md",
      "AGENTS.md",
      "CONTRIBUTING.md",
      "SECURITY.md",
      ...pages.map((page) => `docs/user/${page}`),
    ];
    const broken = files.flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = ""]) => link);
      return links.filter((link) => !exists(join(root, file, "..", link))).map((link) => `${file}: ${link}`);
    });
    expect(broken).toEqual([]);
  });
});

function exists(path: string): boolean {
  try {
    return readdirSync(path).length >= 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOTDIR";
  }
}
