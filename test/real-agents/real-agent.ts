import type { onTestFinished } from "vitest";
import { changeProfile } from "../../src/agents/profile-files.ts";
import { systemClock } from "../../src/base/clock.ts";
import { prepareRun } from "../../src/cli/run-request.ts";
import type { RunSpec } from "../../src/runner/run.ts";
import type { Subject, Wishes } from "../conformance/subject.ts";
import { root } from "../support/cox.ts";
import { installedVersion } from "./install.ts";
import { type Api, nobody } from "./model-server.ts";
import { Stage } from "./stage.ts";

/** What is particular about one real agent; the rest is the same for all: a profile, and a run prepared as the CLI does it. */
export interface RealAgent extends Pick<Subject, "models" | "counted" | "gaps"> {
  /** Its id in agents.json. */
  name: string;
  /** The npm package that it comes in. */
  package: string;
  api: Api;
  /** What its base URL has after the server's address. */
  path?: string;
  /** The model whose server doesn't know it. */
  unknownModel: string;
  /** Settings in the person's home. */
  prepare(stage: Stage): void;
  say?: Partial<Subject["say"]>;
  /** Over the definition's protocol_config: shorter deadlines. */
  config?: Readonly<Record<string, unknown>>;
  permissions?: { switches?: Record<string, boolean> };
}

/** A run takes no longer, so nothing in a test waits for ever. */
const LIMIT_MS = 45_000;

/** Deadlines of our own, short enough for a test. */
const deadlines = { silence_deadline_ms: 4000, networkDeadlineMs: 4000 };

export function realSubject(agent: RealAgent, server: string, finished: typeof onTestFinished): Subject {
  const stage = new Stage(agent.name, finished);
  agent.prepare(stage);
  return {
    name: agent.name,
    version: installedVersion(agent.package),
    models: agent.models,
    counted: agent.counted,
    gaps: agent.gaps,
    say: { ...directives, ...agent.say },
    spec: (wishes = {}) => specOf(agent, stage, server, wishes),
  };
}

/** What the scripted models understand: see test/fakes/brain.mjs. */
const directives: Subject["say"] = {
  hello: "hello",
  think: "@think",
  shell: (file) => `@bash touch ${file}`,
  edit: (file) => `@write ${file}`,
  slow: "@slow",
  two: "@two",
  remember: (word) => `the magic word is ${word}`,
  recall: "@recall",
  model: "which model are you?",
};

async function specOf(agent: RealAgent, stage: Stage, server: string, wishes: Wishes): Promise<RunSpec> {
  await changeProfile(stage.coxHome, PROFILE, {
    agent: agent.name,
    model: wishes.model === "bad-model" ? agent.unknownModel : (wishes.model ?? agent.models[0]),
    base_url: `${wishes.server === "down" ? nobody : server}${agent.path ?? ""}`,
    token: keyFor(wishes),
    mcp_servers: wishes.mcp ? { fake: { command: process.execPath, args: [`${root}/test/fakes/mcp-stdio.mjs`] } } : {},
  });
  const env = wishes.missing ? { ...stage.env, PATH: stage.workspace } : stage.env;
  const spec = await prepareRun(
    {
      home: stage.coxHome,
      project: "p",
      task: "t",
      agent: agent.name,
      profile: PROFILE,
      workspace: stage.workspace,
      prompt: [],
      mode: "interactive",
      permissions: wishes.permissions ?? "ask",
      timeoutMs: LIMIT_MS,
      env: {},
      cleanEnv: false,
      preamble: false,
      by: "tester",
      ...(wishes.resume && {
        resume: { sessionId: wishes.resume.session_id },
        previousRunId: wishes.resume.run_id,
      }),
    },
    env,
    systemClock,
  );
  return { ...spec, plan: { ...spec.plan, config: { ...spec.plan.config, ...deadlines } } };
}

const PROFILE = "tested";

/** The scripted servers behave by the key that they are shown. */
function keyFor({ key, server }: Wishes): string {
  if (key === "wrong") return "bad-key";
  return server === 500 ? "key-500" : server === "silent" ? "key-silent" : "good-key";
}
