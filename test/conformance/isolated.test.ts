import { describe } from "vitest";
import { scene } from "../support/cox.ts";
import { findTools } from "../support/executors.ts";
import { conform } from "./conform.ts";
import { demo, inContainer, inSandbox } from "./demo-subject.ts";

/** The same list where the agent is fenced in, in each way that this machine can. */
const { sandbox, container } = findTools();

describe.skipIf(!sandbox)("in a sandbox", () => {
  conform("demo", (finished) => demo(scene(finished), inSandbox));
});

describe.skipIf(container === undefined)("in a container", () => {
  if (container === undefined) return;
  conform("demo", (finished) => {
    const made = scene(finished);
    return demo(made, inContainer(container, made));
  });
});
