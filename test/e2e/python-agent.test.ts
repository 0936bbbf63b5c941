import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root, type Scene, scene } from "../support/cox.ts";
import { findTools } from "../support/executors.ts";

/** Its program lies in the workspace, where a sandbox shows it too. */
function sceneWith(entry: object): Scene {
  const made = scene();
  mkdirSync(made.home, { mode: 0o700 });
  const script = join(made.workspace, "agent.py");
  copyFileSync(join(root, "test/fakes/asyncio-agent.py"), script);
  const agent = { id: "snake", name: "Snake", cmd: ["/usr/bin/env", "python3", script], ...entry };
  writeFileSync(join(made.home, "agents.json"), JSON.stringify({ agents: [agent] }));
  return made;
}

const args = ["run", "--agent", "snake", "--no-preamble", "hello"];

describe("an agent in Python, whose asyncio refuses to write to a file", () => {
  test.each([["on this machine", "local"], ...(findTools().sandbox ? [["in a sandbox", "sandbox"]] : [])])(
    "works %s when its entry says so, and what it said is in the run's file",
    async (_, on = "") => {
      const made = sceneWith({ stdout: "pipe" });
      const { code, stdout, stderr } = await made.cox([...args, "--on", on]);
      expect(code, stderr).toBe(0);
      expect(stdout).toContain("python heard: hello");
      const said = made.runs().map(({ dir }) => readFileSync(join(dir, "agent-stdout.txt"), "utf8"));
      expect(said.join("")).toContain("python heard: hello");
    },
  );

  test("fails when it doesn't, and the run says why", async () => {
    const { code, stdout, stderr } = await sceneWith({}).cox(args);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain("Pipe transport is only for pipes, sockets and character devices");
  });
});
