import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

/** Git as a person runs it, with nothing of ours around it. */
export interface GitRepository {
  root: string;
  git: (...args: string[]) => string;
  write: (files: Readonly<Record<string, string>>) => void;
  commit: (message: string, files?: Readonly<Record<string, string>>) => string;
}

/** A person's home with an identity, used by everything in this test file. */
export function gitHome(): string {
  const home = temporaryFolder();
  process.env.HOME = home;
  delete process.env.XDG_CONFIG_HOME;
  writeFileSync(
    join(home, ".gitconfig"),
    '[user]\n\tname = Ann\n\temail = ann@example.com\n[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n',
  );
  return home;
}

export function gitRepository(files: Readonly<Record<string, string>> = { "readme.md": "hello\n" }): GitRepository {
  const repository = gitFolder(join(temporaryFolder(), "project"));
  repository.git("init", "-q");
  if (Object.keys(files).length > 0) repository.commit("first", files);
  return repository;
}

export function gitFolder(root: string): GitRepository {
  mkdirSync(root, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 15_000,
    }).trimEnd();
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
  };
  const commit = (message: string, files: Readonly<Record<string, string>> = {}) => {
    write(files);
    git("add", "-A");
    git("commit", "-q", "-m", message);
    return git("rev-parse", "HEAD");
  };
  return { root, git, write, commit };
}
