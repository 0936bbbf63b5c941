import { afterAll, beforeAll, describe } from "vitest";
import { conform } from "../conformance/conform.ts";
import type { Elsewhere } from "../conformance/subject.ts";
import { findTools } from "../support/executors.ts";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import { type Api, startModelServer } from "./model-server.ts";
import { type RealAgent, realSubject } from "./real-agent.ts";

const { sandbox } = findTools();

const servers = new Map<Api, Awaited<ReturnType<typeof startModelServer>>>();
beforeAll(async () => {
  for (const { api } of [claude, codex]) servers.set(api, await startModelServer(api));
});
afterAll(() => {
  for (const server of servers.values()) server.stop();
});

/** Real agents where they are fenced in: with a key of the profile's, and a home of their own. */
describe.skipIf(!sandbox)("in a sandbox", () => {
  const inSandbox = (agent: RealAgent, gaps: Elsewhere["gaps"] = {}) =>
    conform(`${agent.name} in a sandbox`, (finished) =>
      realSubject(agent, servers.get(agent.api)?.url ?? "", finished, { profile: { on: "sandbox" }, gaps }),
    );

  inSandbox(claude);
  inSandbox(codex, {
    "a question answered": {
      fact: "asking is a feature that its settings switch on, and those of the person's home are not there",
      fails: "without question_request",
    },
  });
});
