#!/usr/bin/env node
// An agent that is an MCP server: tools "run" {prompt} and "reply" {prompt, threadId}. Directives in the prompt:
//   @progress   two progress messages and a log line, then the answer
//   @permit     asks for permission (an elicitation without fields, as codex does it)
//   @form       asks a question (an elicitation with fields)
//   @fail       a tool error    @refuse  a JSON-RPC error    @wait  never answers    @crash  exits 3
import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const threads = new Map();
const waiting = new Map();
let asked = 0;

const ask = (params) =>
  new Promise((resolve) => {
    const id = asked++;
    waiting.set(id, resolve);
    say({ id, method: "elicitation/create", params });
  });

async function run(id, { prompt, threadId = `thread-${threads.size + 1}` }, meta) {
  const answer = (text) => {
    const said = [...(threads.get(threadId) ?? []), prompt];
    threads.set(threadId, said);
    say({
      id,
      result: { content: [{ type: "text", text: `${text} (${said.length})` }], structuredContent: { threadId } },
    });
  };
  switch (prompt) {
    case "@progress":
      say({
        method: "notifications/progress",
        params: { progressToken: meta?.progressToken, progress: 1, message: "reading" },
      });
      say({ method: "notifications/progress", params: { progressToken: meta?.progressToken, progress: 2 } });
      say({ method: "notifications/message", params: { level: "info", logger: "agent", data: "warming up" } });
      return answer("done");
    case "@permit": {
      const requestedSchema = { type: "object", properties: {} };
      const reply = await ask({ message: "Run rm?", requestedSchema, codex_command: ["rm", "x"], codex_cwd: "/w" });
      return answer(`${reply.action} ${reply.decision}`);
    }
    case "@form": {
      const requestedSchema = { type: "object", properties: { colour: { type: "string", enum: ["red", "blue"] } } };
      return answer(JSON.stringify(await ask({ message: "Which?", requestedSchema })));
    }
    case "@fail":
      return say({
        id,
        result: { isError: true, content: [{ type: "text", text: "unexpected status 401 Unauthorized" }] },
      });
    case "@refuse":
      return say({ id, error: { code: -32603, message: "broken" } });
    case "@wait":
      return;
    case "@crash":
      process.stderr.write("fell over\n");
      return process.exit(3);
    default:
      return answer(`you said ${prompt}`);
  }
}

const tool = (name) => ({ name, inputSchema: { type: "object" } });

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result);
  switch (method) {
    case "initialize": {
      const { protocolVersion } = params;
      const serverInfo = { name: "mcp-agent", version: "1.2.3" };
      return say({ id, result: { protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo } });
    }
    case "tools/list":
      return say({ id, result: { tools: [tool("run"), tool("reply")] } });
    case "tools/call":
      return run(id, params.arguments, params._meta);
    case "notifications/cancelled":
      return say({ method: "notifications/message", params: { level: "info", data: `cancelled: ${params.reason}` } });
  }
});
process.stdin.on("end", () => process.exit(0));
