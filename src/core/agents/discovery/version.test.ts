import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { scriptArguments, versionOf } from "./version.ts";

const folder = temporaryFolder();

function program(script: string): string {
  const file = join(folder, `program-${Math.random()}`);
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

test.each([
  ["echo '2.1.325 (Claude Code)'", "2.1.325"],
  ["echo codex-cli 0.166.0", "0.166.0"],
  ["echo v1.0.0-beta.3", "1.0.0-beta.3"],
  ["echo tool 2026.06.15-abc", "2026.06.15-abc"],
  ["echo 3.4 >&2", "3.4"],
  ["echo hello", undefined],
  ["exit 1", undefined],
  ["exec /bin/sleep 30", undefined],
])("%s", async (script, version) => {
  expect(await versionOf([program(script)], {}, 500)).toBe(version);
});

test("a program that can't be started has none", async () => {
  expect(await versionOf([join(folder, "nobody")], {})).toBeUndefined();
});

test.each([
  ["codex app-server", []],
  ["/opt/claude -p", []],
  ["node /opt/agent.js --acp", ["/opt/agent.js"]],
  ["/usr/bin/python3.12 -u agent.py --acp", ["-u", "agent.py"]],
  ["python3 -m my.agent --acp", ["-m", "my.agent"]],
  ["java -jar agent.jar", ["-jar", "agent.jar"]],
  ["bun run agent.ts", ["run", "agent.ts"]],
  // Nobody could tell whether the next word belongs to the flag.
  ["node --import x agent.js", undefined],
  ["sh -c agent", undefined],
  ["python3 -m", undefined],
  ["node", undefined],
])("the program in %s", (command, args) => {
  expect(scriptArguments(command.split(" "))).toEqual(args);
});
