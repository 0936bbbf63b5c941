import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "vitest";
import type { Scene } from "./cox.ts";

export const run = ["run", "--agent", "demo", "--on", "sandbox", "--permissions", "allow", "--no-preamble"];

/** What a shell script printed where the agent is, with its exit code at the end. */
export async function inside(made: Scene, script: string, command = run): Promise<string> {
  writeFileSync(join(made.workspace, "script.sh"), `rm script.sh\n${script}`);
  const { code, stderr } = await made.cox([...command, "--", `@run sh script.sh 2>&1; echo "exit $?"`]);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return said(made);
}

export const latest = (made: Scene) =>
  made
    .runs()
    .toSorted((a, b) => (basename(a.dir) < basename(b.dir) ? -1 : 1))
    .at(-1);

export function said(made: Scene): string {
  const events = latest(made)?.events ?? [];
  const results = events.flatMap((event) => (event.type === "tool_update" && event.result ? [event.result] : []));
  return results.map((result) => (typeof result === "string" ? result : result.head)).join("");
}

export const notices = (made: Scene) =>
  (latest(made)?.events ?? []).flatMap((event) => (event.type === "notice" ? [`${event.code}: ${event.text}`] : []));

export const gitIn =
  (folder: string) =>
  (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=p", "-c", "user.email=p@x", ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", GIT_ALLOW_PROTOCOL: "file" },
    }).toString();

/** A person's repository, with one commit of one file. */
export function repository(folder: string, ...options: string[]) {
  mkdirSync(folder, { recursive: true });
  const git = gitIn(folder);
  git("init", "-q", "-b", "main", ...options);
  writeFileSync(join(folder, "file"), "one\n");
  git("add", "file");
  git("commit", "-q", "-m", "first");
  return git;
}

export const COMMIT = "git -c user.name=a -c user.email=a@x";

/** A program that says that it was run, outside. */
export function canary(made: Scene) {
  const file = join(made.folder, "was-run");
  const program = join(made.workspace, "evil.sh");
  writeFileSync(program, `#!/bin/sh\ntouch ${file}\n`);
  chmodSync(program, 0o755);
  return { program, wasRun: () => existsSync(file) };
}

/** What a person does next. */
export function use(git: ReturnType<typeof gitIn>): void {
  for (const words of [["status"], ["commit", "-q", "--allow-empty", "-m", "mine"], ["checkout", "-q", "-b", "next"]]) {
    try {
      git(...words);
    } catch {
      // A git that is broken runs nothing either.
    }
  }
}
