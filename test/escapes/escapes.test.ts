import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { root, type Scene, scene, until } from "../support/cox.ts";
import { findTools, writeContainerSettings } from "../support/executors.ts";

const tools = findTools();
const worst = join(import.meta.dirname, "worst.mjs");
const attempts = execFileSync(process.execPath, [worst], { encoding: "utf8" }).trim().split("\n");
const SECRET = "the person's own secret";

/** A person's things around a workspace: a secret, another repository, and a folder in which nothing may ever appear. */
class Stage {
  readonly made: Scene;
  readonly canary: string;
  readonly secret: string;
  readonly other: string;
  readonly #bystander = process.pid;

  readonly #node: string;

  constructor(made: Scene, node = process.execPath) {
    this.made = made;
    this.#node = node;
    [this.canary, this.secret, this.other] = ["canary", "secret.txt", "other"].map((name) =>
      join(made.folder, name),
    ) as [string, string, string];
    mkdirSync(this.canary);
    writeFileSync(this.secret, SECRET);
    writeFileSync(
      join(made.folder, ".gitconfig"),
      "[user]\n\tname = Ann\n\temail = ann@example.com\n[init]\n\tdefaultBranch = main\n",
    );
    for (const folder of [this.other, made.workspace]) {
      mkdirSync(join(folder, "docs"), { recursive: true });
      writeFileSync(join(folder, "docs/readme.md"), "hello\n");
      this.git(folder, "init", "-q");
      // As a template without hooks leaves it.
      execFileSync("rm", ["-rf", join(folder, ".git/hooks")]);
      cpSync(worst, join(folder, "worst.mjs"));
      this.git(folder, "add", ".");
      this.git(folder, "commit", "-qm", "first");
      this.git(folder, "branch", "precious");
    }
    const bins = ["node_modules/.bin", "venv/bin"].map((folder) => join(made.workspace, folder));
    made.env.PATH = [...bins, made.env.PATH].join(":");
  }

  git(folder: string, ...args: string[]): string {
    const env = { PATH: "/usr/bin:/bin", HOME: this.made.folder };
    const { stdout, stderr, status } = spawnSync("/usr/bin/git", ["-C", folder, ...args], { env, encoding: "utf8" });
    return status === 0 ? stdout : `${stdout}${stderr}(exit ${status})`;
  }

  async attempt(name: string, options: readonly string[]): Promise<void> {
    const { canary, secret, other, made } = this;
    const args = [name, canary, secret, other, made.home, this.#bystander, root].map((each) => `'${each}'`).join(" ");
    // By its path: what was planted under its name is the agent's own affair in there.
    const line = ["run", "--agent", "demo", "--permissions", "allow", "--no-preamble", ...options];
    const { stdout, stderr } = await made.cox([...line, "--", `@run ${this.#node} worst.mjs ${args}`]);
    const outcome = spawnSync("find", [made.folder, "-name", `outcome-${name}`], { encoding: "utf8" }).stdout.trim();
    expect(outcome, `${name} was tried: ${stdout}${stderr}`).not.toBe("");
    expect(readdirSync(canary), name).toEqual([]);
  }

  /** What people do all day, each of which would start what an agent planted. */
  async goOn(): Promise<string> {
    const { made, other } = this;
    const daily = [
      ["status"],
      ["log", "-3"],
      ["diff"],
      ["stash", "list"],
      ["branch", "-a"],
      ["submodule", "status"],
      ["gc", "-q"],
    ];
    const said = [made.workspace, other].flatMap((folder) => daily.map((args) => this.git(folder, ...args)));
    writeFileSync(join(made.workspace, "mine.txt"), "mine\n");
    said.push(this.git(made.workspace, "add", "mine.txt"), this.git(made.workspace, "commit", "-qm", "mine"));
    for (const args of [["ls"], ["diff", "latest"], ["output", "latest"], ["show", "latest"], ["inbox"], ["doctor"]]) {
      const { stdout, stderr } = await made.cox(args);
      said.push(stdout, stderr);
    }
    return said.join("\n");
  }
}

const EXECUTORS: [name: string, make: () => Stage, options: readonly string[]][] = [
  ["a sandbox", () => new Stage(scene()), ["--on", "sandbox"]],
  ["a sandbox, in a worktree of its own", () => new Stage(scene()), ["--on", "sandbox", "--worktree"]],
  ["a container", inContainer, []],
];

function inContainer(): Stage {
  const { container } = tools;
  if (container === undefined) throw new Error("there is no container engine");
  const made = scene();
  Object.assign(made.env, container.env);
  const [image, tag] = container.image.split(/:(?=[^:]*$)/);
  writeContainerSettings(made.home, container, { image, tag });
  return new Stage(made, "/usr/bin/node");
}

test("there are more than forty attempts, and their trap closes where there is no fence", async () => {
  expect(attempts.length).toBeGreaterThan(40);
  const stage = new Stage(scene());
  const harmless = ["git-config", "write-beside-the-workspace", "state-folder", "hard-link"];
  for (const name of harmless) await stage.attempt(name, ["--on", "local"]).catch(() => {});
  await stage.goOn();
  expect(readdirSync(stage.canary).sort()).toEqual([...harmless].sort());
});

describe.each(EXECUTORS)("in %s an agent at its worst", { timeout: 600_000 }, (_, make, options) => {
  test("changes nothing but its workspace, its home and its empty folder", async () => {
    const stage = make();
    const { made, other, canary } = stage;
    onTestFinished(() => void spawnSync("pkill", ["-f", "sleep 98765"]));
    const before = stage.git(other, "for-each-ref");
    const tried = options.includes("--worktree") ? attempts.filter((name) => name.startsWith("git-")) : attempts;
    for (const name of tried) await stage.attempt(name, options);
    // Whose programs and settings are all planted by now.
    const next = await made.cox(["run", "--agent", "demo", "-q", ...options, "--", "@say all is well"]);
    expect([next.code, next.stdout.trim()], next.stderr).toEqual([0, "all is well"]);
    const said = await stage.goOn();
    expect(readdirSync(canary)).toEqual([]);
    expect(said).not.toContain(SECRET);
    expect(said).not.toContain("\u001b]");
    expect(readFileSync(stage.secret, "utf8")).toBe(SECRET);
    expect(spawnSync("grep", ["-rl", SECRET, made.home]).stdout.toString()).toBe("");
    expect(stage.git(other, "for-each-ref")).toBe(before);
    expect(stage.git(other, "status", "--porcelain")).toBe("");
    expect(stage.git(made.workspace, "fsck", "--connectivity-only", "--no-dangling")).not.toContain("exit");
    expect(stage.git(made.workspace, "rev-parse", "precious")).toMatch(/^[0-9a-f]{40}$/m);
    expect(stage.git(made.workspace, "log", "--format=%s", "main")).toMatch(/^mine\n(.*\n)*first\n$/);
    expect(existsSync("/etc/cox-escape")).toBe(false);
    const notices = made
      .runs()
      .flatMap(({ events }) => events.flatMap((event) => (event.type === "notice" ? event.text : [])));
    if (!options.includes("--worktree")) expect(notices.join("\n")).toContain(join(made.workspace, "inner/.git"));
    await until(() => spawnSync("pgrep", ["-f", "^sleep 98765$"]).status !== 0);
  });
});
