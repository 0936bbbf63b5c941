import { afterAll, beforeAll } from "vitest";
import { conform } from "../conformance/conform.ts";
import { agents } from "./agents/index.ts";
import { type Api, startModelServer } from "./model-server.ts";
import { realSubject } from "./real-agent.ts";

const servers = new Map<Api, Awaited<ReturnType<typeof startModelServer>>>();
beforeAll(async () => {
  for (const api of new Set(agents.map((agent) => agent.api))) servers.set(api, await startModelServer(api));
});
afterAll(() => {
  for (const server of servers.values()) server.stop();
});

for (const agent of agents) {
  conform(agent.name, (finished) => realSubject(agent, servers.get(agent.api)?.url ?? "", finished));
}
