import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitFolder } from "../../../../test/support/git-repository.ts";
import { testPlace } from "../test-place.ts";
import { gitConfig } from "./git-config.ts";
import { credentialLines, gitCredentials } from "./git-credentials.ts";
import { workspace } from "./workspace.ts";

const config = (home: string, ...args: string[]) =>
  execFileSync("git", ["config", "--global", ...args], {
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: "" },
    encoding: "utf8",
  })
    .trim()
    .split("\n");

describe("git config", () => {
  test("names the role, and the workspace as the only safe folder, once", async () => {
    const place = testPlace({ BOAT_ROLE: "crew" });
    await gitConfig.run(place);
    await gitConfig.run(place);
    expect(config(place.settings.home, "--get-all", "user.name")).toEqual(["crew"]);
    expect(config(place.settings.home, "--get-all", "user.email")).toEqual(["crew@gasboat.local"]);
    expect(config(place.settings.home, "--get-all", "safe.directory")).toEqual([place.settings.workspace]);
  });

  test("an author that was given, and other safe folders stay", async () => {
    const place = testPlace({ BOAT_ROLE: "crew", GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.org" });
    config(place.settings.home, "--add", "safe.directory", "/other");
    await gitConfig.run(place);
    expect(config(place.settings.home, "user.name")).toEqual(["Ann"]);
    expect(config(place.settings.home, "--get-all", "safe.directory")).toEqual(["/other", place.settings.workspace]);
  });

  test("on a person's machine their own configuration is included, and no identity invented", async () => {
    const place = testPlace();
    const own = join(place.settings.home, "theirs");
    writeFileSync(own, "[user]\n\tname = Ann\n");
    await gitConfig.run({ ...place, settings: { ...place.settings, personsGitConfig: own } });
    expect(config(place.settings.home, "--includes", "user.name")).toEqual(["Ann"]);
  });
});

describe("git credentials", () => {
  test.each<[string, Record<string, string>, string[]]>([
    ["nothing given", {}, []],
    ["GitHub by default", { GIT_USERNAME: "bot", GIT_TOKEN: "t" }, ["https://bot:t@github.com"]],
    [
      "several hosts, each once",
      {
        GIT_USERNAME: "bot",
        GIT_TOKEN: "t",
        BOAT_PROJECTS:
          "a=https://git.example.org/x/a.git:aa,b=https://github.com/o/b:bb,c=https://git.example.org/c:cc",
      },
      ["https://bot:t@github.com", "https://bot:t@git.example.org"],
    ],
    [
      "secrets are encoded",
      { GIT_USERNAME: "a@b", GIT_TOKEN: "p/w:d@#%" },
      ["https://a%40b:p%2Fw%3Ad%40%23%25@github.com"],
    ],
    [
      "GitLab has its own token",
      {
        GITLAB_TOKEN: "gl",
        GIT_USERNAME: "bot",
        GIT_TOKEN: "t",
        BOAT_PROJECTS: "a=https://gitlab.example.org/a:aa",
        GITLAB_HOST: "code.example.org",
      },
      ["https://bot:t@github.com", "https://oauth2:gl@code.example.org", "https://oauth2:gl@gitlab.example.org"],
    ],
    [
      "a token for GitHub alone",
      { GITHUB_TOKEN: "gh", BOAT_PROJECTS: "a=https://x.org/a:aa" },
      ["https://x-access-token:gh@github.com"],
    ],
  ])("%s", (_, env, lines) => {
    expect(credentialLines(env)).toEqual(lines);
  });

  test("in a private file that git asks, once", async () => {
    const place = testPlace({ GIT_USERNAME: "bot", GIT_TOKEN: "p@ss" });
    await gitCredentials.run(place);
    await gitCredentials.run(place);
    const file = join(place.settings.home, ".git-credentials");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(config(place.settings.home, "--get-all", "credential.helper")).toEqual([`store --file=${file}`]);
    const filled = execFileSync("git", ["credential", "fill"], {
      input: "protocol=https\nhost=github.com\n\n",
      env: { PATH: process.env.PATH, HOME: place.settings.home, GIT_TERMINAL_PROMPT: "0" },
      encoding: "utf8",
    });
    expect(filled).toContain("password=p@ss\n");
  });
});

describe("the workspace", () => {
  const repository = () => {
    const place = testPlace();
    const repo = gitFolder(place.settings.workspace);
    repo.git("init", "-q", "-b", "main");
    repo.git("config", "user.name", "Ann");
    repo.git("config", "user.email", "ann@example.org");
    repo.commit("first", { "a.txt": "one\n" });
    mkdirSync(join(place.settings.state, "claude"), { recursive: true });
    writeFileSync(join(place.settings.state, "claude", ".credentials.json"), "secret");
    return { place, repo, run: async () => (await workspace.run(place)).note };
  };

  test("becomes a repository", async () => {
    const place = testPlace();
    await workspace.run(place);
    expect(existsSync(join(place.settings.workspace, ".git"))).toBe(true);
  });

  test("on its main branch nothing is touched, not even changes", async () => {
    const { repo, run } = repository();
    repo.write({ "a.txt": "changed\n" });
    expect(await run()).toBe("on main");
    expect(repo.git("status", "--porcelain")).toBe("M a.txt".padStart(8));
  });

  test("a stale branch is left; its changes are in a stash, and our state stays where it is", async () => {
    const { place, repo, run } = repository();
    repo.git("switch", "-q", "-c", "feature");
    repo.write({ "a.txt": "changed\n", "new.txt": "untracked\n" });
    expect(await run()).toBe("from feature, changes stashed");
    expect(repo.git("branch", "--show-current")).toBe("main");
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(readFileSync(join(place.settings.state, "claude", ".credentials.json"), "utf8")).toBe("secret");
    repo.git("switch", "-q", "feature");
    repo.git("stash", "pop");
    expect(repo.git("diff", "--name-only")).toBe("a.txt");
    expect(existsSync(join(repo.root, "new.txt"))).toBe(true);
  });

  test("our files are hidden from git, once", async () => {
    const { repo, run } = repository();
    await run();
    await run();
    repo.git("clean", "-fdq"); // what the original did, and lost its state by
    expect(existsSync(join(repo.root, ".state", "claude", ".credentials.json"))).toBe(true);
    const exclude = readFileSync(join(repo.root, ".git/info/exclude"), "utf8").split("\n");
    expect(exclude.filter((line) => line === "/.state/")).toHaveLength(1);
  });

  test.each([
    ["master", ["branch", "-m", "main", "master"]],
    ["none", ["branch", "-q", "-D", "main"]],
  ])("without a main branch: %s", async (kind, args) => {
    const { repo, run } = repository();
    repo.git("switch", "-q", "-c", "feature");
    repo.git(...args);
    await run();
    expect(repo.git("branch", "--show-current")).toBe(kind === "master" ? "master" : "main");
  });

  test("in the middle of a merge everything is left as it is", async () => {
    const { repo, run } = repository();
    await run(); // hides .state from the commits below
    repo.git("switch", "-q", "-c", "feature");
    repo.commit("theirs", { "a.txt": "feature\n" });
    repo.git("switch", "-q", "main");
    repo.commit("ours", { "a.txt": "main\n" });
    repo.git("switch", "-q", "feature");
    expect(() => repo.git("merge", "-q", "main")).toThrow();
    await expect(run()).rejects.toThrow();
    expect(repo.git("branch", "--show-current")).toBe("feature");
    expect(existsSync(join(repo.root, ".git/MERGE_HEAD"))).toBe(true);
  });

  test("a person's folder keeps its branch and changes; only our state is hidden", async () => {
    const { place, repo } = repository();
    repo.git("switch", "-q", "-c", "feature");
    repo.write({ "a.txt": "changed\n" });
    await workspace.run({ ...place, settings: { ...place.settings, keepBranch: true } });
    expect(repo.git("branch", "--show-current")).toBe("feature");
    expect(repo.git("status", "--porcelain").trim()).toBe("M a.txt");
    const fresh = testPlace();
    await workspace.run({ ...fresh, settings: { ...fresh.settings, keepBranch: true } });
    expect(existsSync(join(fresh.settings.workspace, ".git"))).toBe(false);
  });

  test("where somebody tracks .state, nothing is done", async () => {
    const { repo, run } = repository();
    repo.git("switch", "-q", "-c", "feature");
    repo.git("add", "-f", ".state");
    repo.git("commit", "-qm", "oops");
    expect(await run()).toMatch(/left on feature/);
  });
});
