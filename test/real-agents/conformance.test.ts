import { afterAll, beforeAll } from "vitest";
import { conform } from "../conformance/conform.ts";
import { claude } from "./agents/claude.ts";
import { claudeAcp } from "./agents/claude-acp.ts";
import { codex } from "./agents/codex.ts";
import { codexAcp } from "./agents/codex-acp.ts";
import { gemini } from "./agents/gemini.ts";
import { opencode } from "./agents/opencode.ts";
import { type Api, startModelServer } from "./model-server.ts";
import { realSubject } from "./real-agent.ts";

const agents = [claude, codex, gemini, opencode, claudeAcp, codexAcp];

const servers = new Map<Api, Awaited<ReturnType<typeof startModelServer>>>();
beforeAll(async () => {
  for (const api of new Set(agents.map((agent) => agent.api))) {
    servers.set(api, await startModelServer(api, process.env.MODEL_LOG && `${process.env.MODEL_LOG}-${api}.jsonl`));
  }
});
afterAll(() => {
  for (const server of servers.values()) server.stop();
});

for (const agent of agents) {
  conform(agent.name, (finished) => realSubject(agent, servers.get(agent.api)?.url ?? "", finished));
}
