import type { onTestFinished } from "vitest";
import { prepared } from "../conformance/prepared.ts";
import type { Elsewhere, Subject, Wishes } from "../conformance/subject.ts";
import { type Api, nobody } from "./model-server.ts";
import { versions } from "./pins.ts";
import { Stage } from "./stage.ts";

/** What is particular about one real agent. */
export interface RealAgent extends Pick<Subject, "name" | "models" | "counted" | "gaps"> {
  api: Api;
  /** What its base URL has after the server's address. */
  path?: string;
  /** A model that its server doesn't know. */
  unknownModel: string;
  /** Settings in the person's environment and home. */
  env?: Readonly<Record<string, string>>;
  prepare?(stage: Stage): void;
  say?: Partial<Subject["say"]>;
}

export function realSubject(
  agent: RealAgent,
  server: string,
  finished: typeof onTestFinished,
  elsewhere: Elsewhere = { profile: {} },
): Subject {
  const stage = new Stage(agent.name, finished);
  Object.assign(stage.env, agent.env);
  agent.prepare?.(stage);
  const { name, models, counted, gaps } = agent;
  return {
    name,
    version: versions[name],
    models,
    counted,
    gaps: { ...gaps, ...elsewhere.gaps },
    say: { ...directives, ...agent.say },
    spec: (wishes = {}) => prepared(stage, { ...profileFor(agent, server, wishes), ...elsewhere.profile }, wishes),
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

function profileFor({ name, models, unknownModel, path = "" }: RealAgent, server: string, wishes: Wishes) {
  return {
    agent: name,
    model: wishes.model === "bad-model" ? unknownModel : (wishes.model ?? models[0]),
    base_url: (wishes.server === "down" ? nobody : server) + path,
    token: keyFor(wishes),
  };
}

/** The scripted servers behave by the key that they are shown. */
function keyFor({ key, server }: Wishes): string {
  if (key === "wrong") return "bad-key";
  return server === 500 ? "key-500" : server === "silent" ? "key-silent" : "good-key";
}
