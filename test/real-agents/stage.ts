import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { onTestFinished } from "vitest";
import { programs } from "./install.ts";

/**
 * Folders of a test's own, gone when it ends: the person's home with the agent's settings in it, ours, and a workspace. Not
 * in the temp directory, because codex refuses to work with a home there.
 */
export class Stage {
  readonly folder: string;
  readonly home: string;
  readonly coxHome: string;
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;

  constructor(agent: string, finished: typeof onTestFinished) {
    const homes = join(import.meta.dirname, ".homes");
    mkdirSync(homes, { recursive: true });
    this.folder = mkdtempSync(join(homes, `${agent}-`));
    finished(() => {
      if (process.env.KEEP_HOMES !== "1") rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    });
    this.home = this.#make("home");
    this.coxHome = this.#make("cox");
    this.workspace = this.#make("workspace");
    const node = dirname(process.execPath);
    this.env = {
      PATH: [programs, node, "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
      HOME: this.home,
      TMPDIR: this.#make("tmp"),
      LANG: "C.UTF-8",
      SHELL: "/bin/sh",
    };
  }

  /** A file in the person's home. */
  write(path: string, content: string | object): void {
    const file = join(this.home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }

  #make(name: string): string {
    const path = join(this.folder, name);
    mkdirSync(path);
    return path;
  }
}
