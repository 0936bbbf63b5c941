import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { programs } from "./install.ts";

/** Folders of a test's own, gone when it ends: the person's home with the agent's settings in it, ours, and a workspace. */
export class Stage {
  /** Not in the temp directory: codex refuses to work with a home there. */
  readonly home: string;
  readonly coxHome: string;
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;

  constructor(agent: string, finished: (end: () => void) => void) {
    const homes = join(import.meta.dirname, ".homes");
    mkdirSync(homes, { recursive: true, mode: 0o700 });
    this.home = mkdtempSync(join(homes, `${agent}-`));
    // Not in this repository: agents look for instructions in the folders above.
    const folder = mkdtempSync(join(tmpdir(), `cox-${agent}-`));
    const make = (name: string) => mkdtempSync(join(folder, `${name}-`));
    this.coxHome = make("cox");
    this.workspace = make("workspace");
    finished(() => {
      if (process.env.KEEP_HOMES === "1") return;
      for (const path of [this.home, folder]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    });
    const node = dirname(process.execPath);
    this.env = {
      PATH: [programs, node, "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
      HOME: this.home,
      TMPDIR: make("tmp"),
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
}
