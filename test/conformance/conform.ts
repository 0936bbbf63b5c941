import { describe, type onTestFinished, test } from "vitest";
import { type Behaviour, behaviours } from "./behaviours.ts";
import type { Gap, Subject } from "./subject.ts";
import { troubles } from "./trouble.ts";

/** Every behaviour of the list, in the order of the table. */
export const list: Readonly<Record<string, Behaviour>> = { ...behaviours, ...troubles };

declare module "vitest" {
  interface TaskMeta {
    /** Why a test that passed is no behaviour of this agent. */
    gap?: string;
  }
}

/** The whole list against one agent; each test makes its subject anew. */
export function conform(name: string, make: (finished: typeof onTestFinished) => Subject): void {
  describe.concurrent(name, () => {
    for (const [behaviour, behave] of Object.entries(list)) {
      test(behaviour, async ({ onTestFinished, task }) => {
        const subject = make(onTestFinished);
        const gap = subject.gaps[behaviour];
        if (gap === undefined) return behave(subject);
        task.meta.gap = gap.fact;
        await expectGap(gap, behave(hurried(subject)));
      });
    }
  });
}

/** What doesn't come needn't be waited for as long as what does. */
const hurried = (subject: Subject): Subject => ({
  ...subject,
  async spec(wishes) {
    const spec = await subject.spec(wishes);
    return { ...spec, limits: { ...spec.limits, timeoutMs: 30_000 } };
  },
});

/** An expected failure; one that passes, or fails in another way, is a finding. */
async function expectGap({ fact, fails }: Gap, behaving: Promise<void>): Promise<void> {
  const failure = await behaving.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (failure === undefined) throw new Error(`this passes now: take it out of the gaps ("${fact}")`);
  if (!failure.includes(fails)) throw new Error(`a gap ("${fact}") that fails in another way: ${failure}`);
}
