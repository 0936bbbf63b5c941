import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { root, type Scene } from "../support/cox.ts";
import { type Containers, writeContainerSettings } from "../support/executors.ts";
import { prepared } from "./prepared.ts";
import type { Elsewhere, Gap, Subject, Wishes } from "./subject.ts";

/** The agent that ships with the package: the list must hold for it wherever it lives. */
export function demo(made: Scene, elsewhere: Elsewhere = { profile: {} }): Subject {
  const env = { ...made.env, DEMO_HOME: join(made.folder, "demo"), ...elsewhere.env };
  mkdirSync(env.DEMO_HOME, { recursive: true });
  const place = { coxHome: made.home, workspace: made.workspace, env };
  return {
    name: "demo",
    models: ["demo-fast", "demo-smart"],
    counted: { usage: { input: 10, output: 5 }, context: 100 },
    say: {
      hello: "@usage 10 5\n@context 100 1000\n@say hello",
      think: "@think deeply",
      shell: (file) => `@run touch ${file}`,
      edit: (file) => `@edit ${file} hello`,
      slow: "@slow 600 100",
      two: "@permissions 2",
      question: "@question which colour? | red | blue",
      remember: (word) => `the magic word is ${word}\n@say noted`,
      recall: "@memory",
      model: "@model",
      mcp: '@mcp fake ping {"who":"bob"}',
      trouble,
    },
    spec: (wishes = {}) => prepared(place, { agent: "demo", model: modelFor(wishes), ...elsewhere.profile }, wishes),
    gaps: {
      "the model is told why it was denied": { fact: "ACP has no field for a reason", fails: "not on my watch" },
      "not installed: says how to install it": { fact: "it ships with Coxswain", fails: "promise resolved" },
      ...elsewhere.gaps,
    },
  };
}

const ships = (fails: string): Record<string, Gap> => ({
  "not installed: says how to install it": { fact: "it ships with Coxswain", fails },
});

export const inSandbox: Elsewhere = { profile: { on: "sandbox" }, gaps: ships("bwrap is not installed") };

/** Its image has neither this repository nor its fakes. */
export function inContainer(containers: Containers, made: Scene): Elsewhere {
  const { image, env, engine } = containers;
  const fakes = `${root}/test/fakes`;
  writeContainerSettings(made.home, containers, { mounts: [{ source: fakes, target: fakes, read_only: true }] });
  return {
    profile: { on: "container", image },
    env,
    gaps: {
      ...ships(`container: ${engine}`),
      "gone when it is started: one failed run": {
        fact: "only the engine can tell what is in an image: it exits with 127",
        fails: "to match object { status: 'failed'",
      },
    },
  };
}

/** It has no model that could be unknown: the trouble is told, not met. */
const modelFor = ({ model }: Wishes) => (model === "bad-model" ? undefined : model);

function trouble({ key, server }: Wishes): string {
  if (key === "wrong") return "@error auth";
  if (server === "silent") return "@hang";
  return server === "down" ? "@error network" : server === 500 ? "@error server" : "@error model";
}
