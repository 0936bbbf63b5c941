import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "vitest";
import type { Scene } from "./cox.ts";

export const run = ["run", "--agent", "demo", "--on", "sandbox", "--permissions", "allow", "--no-preamble"];

/** What a shell script inside the sandbox printed, with its exit code at the end. */
export async function inside(made: Scene, script: string, options: readonly string[] = []): Promise<string> {
  writeFileSync(join(made.workspace, "script.sh"), `rm script.sh\n${script}`);
  const { code, stderr } = await made.cox([...run, ...options, "--", `@run sh script.sh 2>&1; echo "exit $?"`]);
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
