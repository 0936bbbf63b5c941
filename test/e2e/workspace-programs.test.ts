import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { recordOf } from "../../src/core/workspaces/fence/persons/record.ts";
import { type Scene, scene } from "../support/cox.ts";

const NAMES = [
  "git",
  "claude",
  "codex",
  "gemini",
  "opencode",
  "bwrap",
  "podman",
  "docker",
  "gh",
  "ssh",
  "node",
  "stty",
];

/** Programs that an agent left where it could, and a PATH that leads there first. */
function trapped(made: Scene, folder: string): { env: NodeJS.ProcessEnv; sprung: () => string } {
  const mark = join(made.folder, "sprung");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of NAMES) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*" >> '${mark}'\nexit 0\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return {
    env: { PATH: `${folder}:${process.env.PATH}` },
    sprung: () => (existsSync(mark) ? readFileSync(mark, "utf8") : ""),
  };
}

function repository(made: Scene): void {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
  execFileSync("git", ["init", "-q"], { cwd: made.workspace });
  execFileSync("git", [...identity, "commit", "-q", "--allow-empty", "-m", "first"], { cwd: made.workspace });
}

const places = {
  "the workspace": (made: Scene) => join(made.workspace, "node_modules/.bin"),
  "an agent's home": (made: Scene) => join(made.home, "homes/claude/.local/bin"),
  "another task's worktree": (made: Scene) => join(made.home, "worktrees/p/t/venv/bin"),
  "a run's directory": (made: Scene) => join(made.home, "projects/p/t/runs/r/bin"),
  "another workspace, where an isolated agent was": (made: Scene) => {
    const workspace = join(made.folder, "elsewhere");
    recordOf(made.home, workspace, () => ({ version: 1, workspace, git: null, nested: [] }));
    return join(workspace, "node_modules/.bin");
  },
};

describe("programs that an agent left on the PATH are never run by us", () => {
  test.each(Object.entries(places))("from %s", async (_, placeOf) => {
    const made = scene();
    repository(made);
    mkdirSync(made.home, { mode: 0o700 });
    const folder = placeOf(made);
    const { env, sprung } = trapped(made, folder);
    const run = ["run", "--agent", "demo", "--permissions", "allow", "--project", "q", "--task", "u"];
    const done = await made.cox([...run, "--worktree", "--", "@edit made.txt hello"], { env });
    expect(done.stderr + sprung()).not.toContain("sprung");
    expect(done.code).toBe(0);
    for (const words of [["doctor"], ["agent", "ls"], ["diff", "latest", "--stat"], ["ls"]])
      await made.cox(words, { env });
    await made.cox([...run, "--on", "sandbox", "--", "@say hi"], { env });
    expect(sprung()).toBe("");
    const said = made.runs().flatMap(({ events }) => events.filter(({ type }) => type === "notice"));
    expect(said).toContainEqual(
      expect.objectContaining({ code: "path_passed_over", text: expect.stringContaining(folder) }),
    );
    const doctor = await made.cox(["doctor"], { env });
    expect(doctor.stdout).toMatch(/warn\s+PATH\s+passed over/);
    expect(doctor.stdout).toContain(folder);
  });

  test("nor through a link, or one file that leads there", async () => {
    const made = scene();
    repository(made);
    const { sprung } = trapped(made, join(made.workspace, "bin"));
    symlinkSync(join(made.workspace, "bin"), join(made.folder, "link"));
    mkdirSync(join(made.folder, "files"));
    for (const name of NAMES) symlinkSync(join(made.workspace, "bin", name), join(made.folder, "files", name));
    for (const entry of ["link", "files"]) {
      const env = { PATH: `${join(made.folder, entry)}:${process.env.PATH}` };
      const { code } = await made.cox(["run", "--agent", "demo", "--permissions", "allow", "--", "@say hi"], { env });
      expect(code).toBe(0);
      await made.cox(["doctor"], { env });
      await made.cox(["diff", "latest"], { env });
    }
    expect(sprung()).toBe("");
  });

  test("an agent that is only there is not taken, and it is said why", async () => {
    const made = scene();
    const folder = join(made.workspace, "node_modules/.bin");
    const { env, sprung } = trapped(made, folder);
    mkdirSync(made.home, { mode: 0o700 });
    const mine = { id: "mine", name: "Mine", protocol: "acp", cmd: ["codex"] };
    writeFileSync(join(made.home, "agents.json"), JSON.stringify([mine]));
    const only = { PATH: `${env.PATH?.split(":")[0]}:/usr/bin:/bin` };
    const { code, stderr } = await made.cox(["run", "--agent", "mine", "--", "hi"], { env: only });
    expect([code, sprung()]).toEqual([127, ""]);
    expect(stderr).toContain(`${folder}/codex, which agents can write to`);
  });

  test("the agent itself still finds what is there", async () => {
    const made = scene();
    const folder = join(made.workspace, "node_modules/.bin");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "of-the-project"), "#!/bin/sh\necho found-it\n");
    chmodSync(join(folder, "of-the-project"), 0o755);
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const words = ["run", "--agent", "demo", "--permissions", "allow", "--", "@run of-the-project"];
    const { stdout, stderr } = await made.cox(words, { env });
    expect(stdout + stderr).toContain("found-it");
  });
});
