import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { conform } from "../conformance/conform.ts";
import type { Elsewhere } from "../conformance/subject.ts";
import { infoOf, talk } from "../conformance/talk.ts";
import { findTools } from "../support/executors.ts";
import { COMMIT, repository } from "../support/fenced-git.ts";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import { gemini } from "./agents/gemini.ts";
import { opencode } from "./agents/opencode.ts";
import { type Api, startModelServer } from "./model-server.ts";
import { type RealAgent, realSubject } from "./real-agent.ts";

const { sandbox } = findTools();

const agents = [claude, codex, gemini, opencode];
const servers = new Map<Api, Awaited<ReturnType<typeof startModelServer>>>();
beforeAll(async () => {
  for (const api of new Set(agents.map((agent) => agent.api))) servers.set(api, await startModelServer(api));
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

  test.each(agents)("what $name commits arrives on the person's branch", async (agent) => {
    const url = servers.get(agent.api)?.url ?? "";
    const subject = realSubject(agent, url, onTestFinished, { profile: { on: "sandbox" } });
    const spec = await subject.spec({ permissions: "allow" });
    const git = repository(spec.plan.cwd);
    const over = await talk({ ...subject, spec: () => Promise.resolve(spec) }, {}, async (conversation) => {
      await conversation.turn(`@bash echo two > file && git add file && ${COMMIT} commit -q -m second`);
    });
    // Elsewhere it would commit to the person's branch itself.
    expect(infoOf(over)?.on).toBe("sandbox");
    expect(git("log", "--format=%s")).toBe("second\nfirst\n");
    expect(git("status", "--short", "--untracked-files=no")).toBe("");
  });
});
