import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { agentSocket } from "../support/agent-socket.ts";
import { root, scene } from "../support/cox.ts";

const posted = { content: [{ type: "text", text: expect.stringContaining("m1") }] };
const socketOfRun = () => agentSocket({ bus_post: async () => ({ id: "m1" }) });

function client(): Client {
  const made = new Client({ name: "test", version: "1" });
  onTestFinished(() => made.close());
  return made;
}

test("cox mcp is an MCP server on stdin and stdout", async () => {
  const { path } = await socketOfRun();
  const peer = client();
  const args = [join(root, "bin/cox"), "mcp", "--socket", path];
  await peer.connect(new StdioClientTransport({ command: process.execPath, args }));
  expect((await peer.listTools()).tools).toHaveLength(8);
  expect(await peer.callTool({ name: "bus_post", arguments: { body: "x" } })).toMatchObject(posted);
});

test("it loads next to nothing: agents start it in every run", async () => {
  const { path } = await socketOfRun();
  const made = scene();
  const witness = join(made.folder, "witness.cjs");
  writeFileSync(witness, 'process.on("exit", () => process.stderr.write(JSON.stringify(Object.keys(require.cache))));');
  const { code, stderr } = await made.cox(["mcp", "--socket", path], { nodeArgs: ["--require", witness] });
  const files: string[] = JSON.parse(stderr);
  expect(code).toBe(0);
  expect(files.some((file) => file.endsWith("dist/tool-pipe.cjs"))).toBe(true);
  expect(files.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(20_000);
});

test("cox mcp --http is one for clients that start no programs", async () => {
  const { path } = await socketOfRun();
  const child = scene().start(["mcp", "--http", "--socket", path], { env: { COX_MCP_TOKEN: "sesame" } });
  onTestFinished(() => void child.kill());
  const line = await new Promise<string>((resolve) => child.stdout?.once("data", (chunk) => resolve(String(chunk))));
  const { url, token }: { url: string; token: string } = JSON.parse(line);
  expect(token).toBe("sesame");
  const peer = client();
  const headers = { authorization: `Bearer ${token}` };
  await peer.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  expect(await peer.callTool({ name: "bus_post", arguments: { body: "x" } })).toMatchObject(posted);
});

test("cox mcp without a run says so", async () => {
  const { code, stderr } = await scene().cox(["mcp", "--socket", "/nowhere/agent.sock"]);
  expect(code).not.toBe(0);
  expect(stderr).toContain("reach the run (/nowhere/agent.sock)");
});
