import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openOptions } from "../../../../test/support/scripted-agent.ts";
import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import { type ClaudeArguments, claudeArgs } from "./arguments.ts";
import { mcpConfig } from "./mcp-file.ts";

describe("claudeArgs", () => {
  const cases: Record<string, [Partial<ClaudeArguments>, string]> = {
    "a new conversation has an id of ours": [{}, "--session-id new"],
    "a resumed one keeps its own": [{ resume: { sessionId: "old" } }, "--resume old"],
    "a fork gets a new one": [
      { resume: { sessionId: "old", fork: true } },
      "--resume old --fork-session --session-id new",
    ],
    "one that the definition's flag resumes keeps its own": [
      { resume: { sessionId: "old" }, isSaid: true, model: "opus" },
      "--model opus",
    ],
    "and its fork gets a new one": [
      { resume: { sessionId: "old", fork: true }, isSaid: true },
      "--fork-session --session-id new",
    ],
    "the rest": [{ model: "opus", mcpConfig: "/f.json" }, "--session-id new --model opus --mcp-config /f.json"],
  };
  test.each(Object.entries(cases))("%s", (_, [options, line]) => {
    expect(claudeArgs({ sessionId: "new", ...options })).toEqual(line.split(" "));
  });
});

describe("mcpConfig", () => {
  const stdio = (env: Record<string, string>): McpServer => ({
    name: "fs",
    transport: { type: "stdio", command: "npx", args: ["-y", "fs"], env },
  });

  test("nothing to configure, nothing to say", async () => {
    expect((await mcpConfig(openOptions())).argument).toBeUndefined();
  });

  test("without tokens it is an argument", async () => {
    const { argument = "" } = await mcpConfig(openOptions({ mcpServers: [stdio({})] }));
    expect(JSON.parse(argument)).toEqual({
      mcpServers: { fs: { type: "stdio", command: "npx", args: ["-y", "fs"], env: {} } },
    });
  });

  test("with tokens it is a file that only we can read, until it is removed", async () => {
    const { argument = "", remove } = await mcpConfig(openOptions({ mcpServers: [stdio({ TOKEN: "t" })] }));
    expect(statSync(argument).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(argument, "utf8"))).toMatchObject({ mcpServers: { fs: { env: { TOKEN: "t" } } } });
    await remove();
    expect(existsSync(argument)).toBe(false);
  });

  test("a private directory that was given is used, and left", async () => {
    const privateDir = mkdtempSync(join(tmpdir(), "cox-test-"));
    const headers = { Authorization: "Bearer t" };
    const server: McpServer = { name: "web", transport: { type: "http", url: "https://x.test", headers } };
    const { argument = "", remove } = await mcpConfig(openOptions({ mcpServers: [server], privateDir }));
    expect(argument.startsWith(privateDir)).toBe(true);
    await remove();
    expect(existsSync(argument)).toBe(false);
    expect(existsSync(privateDir)).toBe(true);
    rmSync(privateDir, { recursive: true });
  });
});
