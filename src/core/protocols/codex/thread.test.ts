import { describe, expect, test } from "vitest";
import { openOptions } from "../../../../test/support/scripted-agent.ts";
import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import { inputOf, threadRequest } from "./thread.ts";

/** Asks for MCP tools alone. */
const withinSandbox = { granular: expect.objectContaining({ sandbox_approval: false, mcp_elicitations: true }) };

describe("threadRequest", () => {
  test.each([
    ["ask", {}, "untrusted", "workspace-write"],
    ["allow", {}, withinSandbox, "workspace-write"],
    ["deny", {}, "untrusted", "read-only"],
    ["allow", { sandbox: "danger-full-access" }, withinSandbox, "danger-full-access"],
  ] as const)("%s %j: %j in %s", (permissions, config, approvalPolicy, sandbox) => {
    expect(threadRequest(openOptions({ permissions, config })).params).toMatchObject({ approvalPolicy, sandbox });
  });

  test("a fork is made of the old conversation", () => {
    const { method, params } = threadRequest(openOptions({ resume: { sessionId: "th", fork: true } }));
    expect(method).toBe("thread/fork");
    expect(params).toMatchObject({ threadId: "th", excludeTurns: true });
  });

  const server = (name: string, transport: McpServer["transport"]) =>
    openOptions({ mcpServers: [{ name, transport }] });

  test("MCP servers travel in the request, where nobody else sees their tokens", () => {
    const stdio = { type: "stdio", command: "npx", args: ["x"], env: { TOKEN: "t" } } as const;
    const http = { type: "http", url: "https://x.test", headers: { Authorization: "t" } } as const;
    expect(threadRequest(server("fs", { ...stdio, args: ["x"] })).params.config).toEqual({
      "mcp_servers.fs": { command: "npx", args: ["x"], env: { TOKEN: "t" } },
    });
    expect(threadRequest(server("web", http)).params.config).toEqual({
      "mcp_servers.web": { url: "https://x.test", http_headers: { Authorization: "t" } },
    });
  });

  test("a server whose calls take long says so: codex gives up after 300 s", () => {
    const transport = { type: "http", url: "https://x.test", headers: {} } as const;
    const options = openOptions({ mcpServers: [{ name: "slow", transport, callLimitMs: 3_600_000 }] });
    expect(threadRequest(options).params.config).toMatchObject({ "mcp_servers.slow": { tool_timeout_sec: 3600 } });
  });

  test("what codex can't do is refused by name", () => {
    const sse = { type: "sse", url: "https://x.test", headers: {} } as const;
    expect(() => threadRequest(server("web", sse))).toThrow(/does not speak SSE/);
    expect(() => threadRequest(server("a.b", { ...sse, type: "http" }))).toThrow(/letters, digits/);
  });
});

describe("inputOf", () => {
  const part = (type: "image" | "file", mimeType: string) => ({ type, mimeType, sha256: "x", name: "n" }) as const;

  test("an image is a data URL", async () => {
    const url = `data:image/png;base64,${Buffer.from("bytes").toString("base64")}`;
    expect(await inputOf(part("image", "image/png"), openOptions())).toEqual({ type: "image", url });
  });

  test("a text file is text, another file is refused", async () => {
    expect(await inputOf(part("file", "text/plain"), openOptions())).toMatchObject({ text: "n:\n\nbytes" });
    await expect(inputOf(part("file", "application/zip"), openOptions())).rejects.toMatchObject({
      code: "command.unsupported",
    });
  });
});
