import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { isAlive } from "../../src/lib/process/holders/identity.ts";
import { scene, until } from "../support/cox.ts";
import { findTools } from "../support/executors.ts";
import { COMMIT, canary, gitIn, inside, latest, notices, repository, run, said, use } from "../support/fenced-git.ts";

const { sandbox } = findTools();

describe.skipIf(!sandbox)("an agent in a sandbox can't make the person's git run anything", { timeout: 60_000 }, () => {
  const ways: Record<string, (program: string) => string> = {
    "by its settings": (program) => `git config core.fsmonitor ${program}`,
    "by a common folder of its own": (program) => `
      cp -r .git common; ${COMMIT} --git-dir=common config core.fsmonitor ${program}; echo ../common > .git/commondir`,
    "by hooks where there were none": (program) => `
      mkdir -p .git/hooks; for h in post-commit post-checkout; do cp ${program} .git/hooks/$h; done`,
    "by hooks where there was a link": (program) => `
      rm -rf .git/hooks hooks; mkdir -p hooks .git/hooks; for h in post-commit post-checkout; do
      cp ${program} hooks/$h; cp ${program} .git/hooks/$h; done`,
    "by settings of the worktree": (program) => `
      git config extensions.worktreeConfig true; printf '[core]\\n\\tfsmonitor = ${program}\\n' > .git/config.worktree`,
    "by a repository of its own as a submodule": (program) => `
      git init -q evil; ${COMMIT} -C evil commit -q --allow-empty -m x; git -C evil config core.fsmonitor ${program}
      git add evil; ${COMMIT} commit -q -m evil`,
    "by hooks that lie in the workspace": (program) => `
      for h in post-commit post-checkout; do cp ${program} .husky/$h; done; mv .husky away; mkdir .husky
      for h in post-commit post-checkout; do cp ${program} .husky/$h; done`,
    "by settings that lie in the workspace": (program) => `
      git config -f tools/gitconfig core.fsmonitor ${program}; mv tools away; mkdir tools
      git config -f tools/gitconfig core.fsmonitor ${program}`,
    "by another folder in its place": (program) => `
      mv .git away; git init -q .; git config core.fsmonitor ${program}`,
  };
  test.each(Object.entries(ways))("%s", async (name, way) => {
    const made = scene();
    const git = repository(made.workspace);
    rmSync(join(made.workspace, ".git/hooks"), { recursive: true, force: true });
    if (name.includes("link")) symlinkSync("../hooks", join(made.workspace, ".git/hooks"));
    if (name.includes("worktree")) git("config", "extensions.worktreeConfig", "true");
    if (name.includes("hooks that lie")) git("config", "core.hooksPath", ".husky");
    if (name.includes("settings that lie")) {
      mkdirSync(join(made.workspace, "tools"));
      writeFileSync(join(made.workspace, "tools/gitconfig"), "[alias]\n\tst = status\n");
      git("config", "include.path", "../tools/gitconfig");
    }
    const { program, wasRun } = canary(made);
    await inside(made, way(program));
    use(git);
    expect(wasRun()).toBe(false);
    expect(git("fsck", "--no-dangling")).toBe("");
  });

  test("by settings, a file or a place of a submodule", async () => {
    const made = scene();
    const library = join(made.folder, "library");
    repository(library);
    const git = repository(made.workspace);
    for (const path of ["libs/one", "two"])
      git("-c", "protocol.file.allow=always", "submodule", "add", "-q", library, path);
    git("commit", "-q", "-m", "submodules");
    git("submodule", "deinit", "-q", "two");
    const { program, wasRun } = canary(made);
    const evil = `git init -q evil; ${COMMIT} -C evil commit -q --allow-empty -m x; git -C evil config core.fsmonitor ${program};`;
    for (const way of [
      `git config --file .git/modules/libs/one/config core.fsmonitor ${program}; git -C libs/one config core.fsmonitor ${program}`,
      `${evil} echo "gitdir: ../../evil/.git" > libs/one/.git`,
      `${evil} mv libs/one libs/away; cp -r evil libs/one`,
      `${evil} mv libs away; mkdir libs; cp -r evil libs/one`,
      `${evil} rmdir two; cp -r evil/.git two/.git; cp -r evil two`,
    ]) {
      await inside(made, `rm -rf evil; ${way}`);
      use(git);
      expect(wasRun()).toBe(false);
    }
    expect(git("submodule", "status")).toMatch(/^ \w+ libs\/one.*\n-\w+ two\n$/);
  });

  test("in a repository that the person has in the workspace", async () => {
    const made = scene();
    const git = repository(join(made.workspace, "vendor/copy"));
    const { program, wasRun } = canary(made);
    await inside(
      made,
      `git -C vendor/copy config core.fsmonitor ${program}; mv vendor gone; mkdir -p vendor/copy; mv gone/copy vendor/copy
       git init -q vendor/copy; git -C vendor/copy config core.fsmonitor ${program}`,
    );
    use(git);
    expect(wasRun()).toBe(false);
    // One that came later is kept from the agent as well, and so is the first, however many folders there are.
    const later = repository(join(made.workspace, "later"));
    await inside(made, "i=0; while [ $i -lt 10001 ]; do i=$((i + 1)); echo many/$i; done | xargs mkdir -p");
    await inside(made, `for r in later vendor/copy; do git -C $r config core.fsmonitor ${program}; done`);
    expect(notices(made).join()).toContain("more folders than are looked through");
    use(git);
    use(later);
    expect(wasRun()).toBe(false);
    rmSync(join(made.workspace, "many"), { recursive: true });
    await inside(made, "git init -q its/own");
    expect(notices(made).join()).toContain("its/own");
  });

  test.each([
    ["a bare one that the workspace's own file names", ".bare", "."],
    ["a bare one beside its worktree", "repo.git", "tree"],
    ["one that a link leads to", ".repo/x.git", "linked"],
  ])("in a git directory by another name: %s", async (name, place, checkout) => {
    const made = scene();
    const source = join(made.folder, "source");
    repository(source);
    const [bare, folder] = [join(made.workspace, place), join(made.workspace, checkout)];
    gitIn(made.folder)("clone", "-q", "--bare", source, bare);
    mkdirSync(folder, { recursive: true });
    if (name.includes("link")) symlinkSync(bare, join(folder, ".git"));
    else writeFileSync(join(folder, ".git"), `gitdir: ${bare}\n`);
    gitIn(bare)("config", "core.bare", "false");
    const { program, wasRun } = canary(made);
    await inside(
      made,
      `git config -f ${place}/config core.fsmonitor ${program}; mv ${place} away; cp -r away ${place}
       git config -f ${place}/config core.fsmonitor ${program}`,
    );
    use(gitIn(folder));
    expect(wasRun()).toBe(false);
    expect(gitIn(folder)("log", "--format=%s")).toContain("first");
  });

  test("in what it made to look like a git directory: that is told, however many folders there are", async () => {
    const made = scene();
    repository(made.workspace);
    await inside(made, "mkdir -p src/objects src/refs; echo ref: refs/heads/main > src/HEAD");
    expect(notices(made).join()).toMatch(/a repository appeared in the workspace: .*src/);
    await inside(
      made,
      "i=0; while [ $i -lt 10001 ]; do i=$((i + 1)); echo many/$i; done | xargs mkdir -p; git init -q x/own",
    );
    expect(notices(made).join()).toContain("more folders than are looked through");
  });

  test.each(["around the workspace", "in the workspace", "that is a submodule"])(
    "by hooks and settings among the files, of a repository %s",
    async (where) => {
      const made = scene();
      const outer = where.startsWith("around") ? made.folder : join(made.workspace, "lib");
      const library = join(made.folder, "library");
      if (where.includes("submodule")) {
        repository(library);
        repository(made.workspace)("-c", "protocol.file.allow=always", "submodule", "add", "-q", library, "lib");
      } else repository(outer);
      const git = gitIn(outer);
      for (const folder of ["hooks", "tools"]) mkdirSync(join(made.workspace, folder));
      writeFileSync(join(made.workspace, "tools/gitconfig"), "[alias]\n\tst = status\n");
      git("config", "core.hooksPath", relative(outer, join(made.workspace, "hooks")));
      git("config", "include.path", join(made.workspace, "tools/gitconfig"));
      const { program, wasRun } = canary(made);
      await inside(
        made,
        `for h in post-commit post-checkout; do cp ${program} hooks/$h; done; git config -f tools/gitconfig core.fsmonitor ${program}
         mv hooks h; mv tools t; mkdir hooks tools; for h in post-commit post-checkout; do cp ${program} hooks/$h; done
         git config -f tools/gitconfig core.fsmonitor ${program}`,
      );
      use(git);
      expect(wasRun()).toBe(false);
    },
  );

  test("in a worktree: the repository it comes from is untouched", async () => {
    const made = scene();
    const git = repository(made.workspace);
    git("branch", "precious");
    const { program, wasRun } = canary(made);
    const script = `git branch -D precious; git config core.fsmonitor ${program}; echo x > ${made.workspace}/.git/x
      mv .git away; git init .; git config core.fsmonitor ${program}`;
    const { code } = await made.cox([
      ...run,
      "--worktree",
      "--task",
      "side",
      "--",
      `@run ${script.replaceAll("\n", ";")}`,
    ]);
    expect(code).toBe(0);
    use(git);
    use(gitIn(latest(made)?.info?.cwd ?? ""));
    expect(wasRun()).toBe(false);
    expect(git("branch", "--list", "precious")).toContain("precious");
    expect(existsSync(join(made.workspace, ".git/x"))).toBe(false);
  });
});

describe.skipIf(!sandbox)("a file in a workspace without git", { timeout: 60_000 }, () => {
  test("doesn't get an agent another repository", async () => {
    const made = scene();
    const other = join(made.folder, "other");
    const git = repository(other);
    const { program, wasRun } = canary(made);
    const claim = `mkdir -p x; echo "gitdir: x" > .git; echo ${other}/.git > x/commondir; cp .git x/gitdir
      echo ${made.workspace}/.git > x/gitdir; echo "ref: refs/heads/main" > x/HEAD`;
    await inside(made, claim);
    await inside(
      made,
      `ls ${other}/.git; cp ${program} ${other}/.git/hooks/post-commit; git config core.fsmonitor ${program}`,
    );
    use(git);
    expect(wasRun()).toBe(false);
    expect(said(made)).toContain("No such file");
    expect(existsSync(join(made.workspace, ".git"))).toBe(false);
  });

  test("that the agent can't make, some other run could: it is not believed, and that is said", async () => {
    const made = scene();
    await inside(made, "git init -q . && git status --short");
    expect(existsSync(join(made.workspace, ".git"))).toBe(false);
    repository(made.workspace);
    expect(await inside(made, "git log")).not.toContain("first");
    expect(notices(made).join()).toMatch(/git_not_believed: .*\.git.*was not there.*if you made it/);
  });

  test("is not left behind by a killed host: whoever looks next removes the place of the agent's own", async () => {
    const made = scene();
    const dotGit = join(made.workspace, ".git");
    await made.cox([...run, "-d", "--", "@run git init -q . && touch ready\n@hang"]);
    await until(() => existsSync(join(made.workspace, "ready")));
    expect(readdirSync(dotGit)).toEqual([]);
    const { host_pid: pid = 0, host_start: start = "" } = latest(made)?.info ?? {};
    process.kill(pid, "SIGKILL");
    await until(() => !isAlive({ pid, start }));
    await made.cox(["ls"]);
    expect(existsSync(dotGit)).toBe(false);
  });
});

describe.skipIf(!sandbox)("beside an isolated agent that is at work", { timeout: 120_000 }, () => {
  const MOUNTS = "cut -d' ' -f5 /proc/self/mountinfo";

  test("nothing that it made since is mounted for the next: it could swap it for a link at that moment", async () => {
    const made = scene();
    repository(join(made.workspace, "vendor/copy"));
    await inside(
      made,
      `git init -q n/dot; echo "${MOUNTS} > seen" > child.sh; cox run --agent demo -- '@run sh child.sh'`,
    );
    const seen = readFileSync(join(made.workspace, "seen"), "utf8").split("\n");
    expect(seen).toContain(join(made.workspace, "vendor/copy/.git"));
    expect(seen.filter((path) => path.startsWith(join(made.workspace, "n")))).toEqual([]);
    // When nobody is there any more it is looked for again.
    expect(await inside(made, MOUNTS)).toContain(join(made.workspace, "n/dot/.git"));
  });

  test("no other is started in a folder that it could swap for a link", async () => {
    const made = scene();
    repository(made.workspace);
    mkdirSync(join(made.workspace, "pkg"));
    await made.cox([...run, "-d", "--", "@run touch ready\n@hang"]);
    await until(() => existsSync(join(made.workspace, "ready")));
    const { run_id: id = "" } = latest(made)?.info ?? {};
    const within = [...run, "--cwd", join(made.workspace, "pkg"), "--", "@run touch started"];
    const refused = await made.cox(within);
    expect(refused.code).not.toBe(0);
    expect(refused.stdout.replace(/\s+/g, " ")).toContain(`the isolated agent of run ${id} is at work`);
    expect(existsSync(join(made.workspace, "pkg/started"))).toBe(false);
    expect((await made.cox([...run, "--", "@run touch beside"])).code).toBe(0);
    expect(existsSync(join(made.workspace, "beside"))).toBe(true);
    await made.cox(["stop", id]);
    expect((await made.cox(within)).code).toBe(0);
    expect(existsSync(join(made.workspace, "pkg/started"))).toBe(true);
  });
});
