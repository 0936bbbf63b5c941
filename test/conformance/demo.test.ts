import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Scene, scene } from "../support/cox.ts";
import { conform } from "./conform.ts";
import { prepared } from "./prepared.ts";
import type { Subject, Wishes } from "./subject.ts";

function demo(made: Scene): Subject {
  const env = { ...made.env, DEMO_HOME: join(made.folder, "demo") };
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
    spec: (wishes = {}) => prepared(place, { agent: "demo", model: modelFor(wishes) }, wishes),
    gaps: {
      "the model is told why it was denied": { fact: "ACP has no field for a reason", fails: "not on my watch" },
      "not installed: says how to install it": { fact: "it ships with Coxswain", fails: "promise resolved" },
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

conform("demo", (finished) => demo(scene(finished)));
