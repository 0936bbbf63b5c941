import { describe, expect, test } from "vitest";
import type { McpServer } from "../../../contract/resources/agent-config.ts";
import { mcpSecretNames, planMcp } from "./mcp.ts";
import { mergeConfigs } from "./merge.ts";
import { pluginFiles } from "./plugins.ts";

describe("several AgentConfigs", () => {
  test("merge in order", () => {
    const merged = mergeConfigs([
      {
        agentsMD: "One.\n",
        mcpServers: [
          { name: "a", type: "stdio", command: "old" },
          { name: "b", type: "stdio", command: "b" },
        ],
      },
      { agentsMD: "  " },
      {
        agentsMD: "Two.",
        plugins: [{ name: "p", skills: [{ name: "s", content: "1" }] }],
        mcpServers: [{ name: "a", type: "http", url: "https://new" }],
      },
      { plugins: [{ name: "p", skills: [{ name: "s", content: "2" }], agents: [{ name: "x", content: "3" }] }] },
    ]);
    expect(merged.agentsMD).toBe("One.\n\nTwo.");
    expect(merged.mcpServers.map(({ name, type }) => `${name} ${type}`)).toEqual(["a http", "b stdio"]);
    expect(pluginFiles(merged.plugins)).toEqual([
      { key: "p0-s0", path: "p/skills/s/SKILL.md", content: "2" },
      { key: "p0-a0", path: "p/agents/x.md", content: "3" },
    ]);
  });
});

describe("MCP servers", () => {
  const servers: McpServer[] = [
    {
      name: "local",
      type: "stdio",
      command: "mcp",
      args: ["--fast"],
      env: [
        { name: "PLAIN", value: "x" },
        { name: "SECRET", valueFrom: { secretKeyRef: { name: "s", key: "token" } } },
        { name: "OPTIONAL", valueFrom: { secretKeyRef: { name: "s", key: "none", optional: true } } },
        { name: "MAPPED", valueFrom: { configMapKeyRef: { name: "m", key: "k" } } },
      ],
      envFrom: { secretRef: { name: "all" } },
    },
    {
      name: "remote",
      type: "http",
      url: "https://x",
      headers: { "X-A": "plain", "X-B": "lost" },
      headersFrom: { secretRef: { name: "heads" } },
    },
    { name: "bare", type: "sse", url: "https://y" },
  ];
  const keys = new Map([
    ["s", ["token"]],
    ["all", ["PLAIN", "MORE"]],
    ["heads", ["X-B"]],
  ]);

  test("keep secrets as files; what comes from a Secret wins; optional ones that are missing are left out", () => {
    const { json, secrets } = planMcp(servers, keys, new Map([["m/k", "mapped"]]));
    expect(JSON.parse(json)).toEqual({
      mcpServers: {
        local: {
          type: "stdio",
          command: "mcp",
          args: ["--fast"],
          env: {
            PLAIN: "${file:/kelos/mcp/0/env/PLAIN}",
            SECRET: "${file:/kelos/mcp/0/env/SECRET}",
            MAPPED: "mapped",
            MORE: "${file:/kelos/mcp/0/env/MORE}",
          },
        },
        remote: {
          type: "http",
          url: "https://x",
          headers: { "X-A": "plain", "X-B": "${file:/kelos/mcp/1/header/X-B}" },
        },
        bare: { type: "sse", url: "https://y" },
      },
    });
    expect(secrets.map(({ secret, key, path }) => `${secret}.${key} ${path}`)).toEqual([
      "s.token 0/env/SECRET",
      "all.PLAIN 0/env/PLAIN",
      "all.MORE 0/env/MORE",
      "heads.X-B 1/header/X-B",
    ]);
  });

  test("name every Secret they need", () => {
    expect(mcpSecretNames(servers)).toEqual([
      { server: "local", name: "s", key: "token", optional: false },
      { server: "local", name: "s", key: "none", optional: true },
      { server: "local", name: "all", optional: false },
      { server: "remote", name: "heads", optional: false },
    ]);
  });
});
