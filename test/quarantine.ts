/**
 * What could not be made steady: these, and no others, try a test a second time, and every such try is named at the end. At most
 * ten, each with its reason; a race of our own has no place here.
 */
export const quarantine: readonly { file: string; reason: string }[] = [
  {
    file: "vitest.agents.config.ts",
    reason: "other people's programs, which keep their own deadlines of a few seconds however busy the machine is",
  },
  {
    file: "vitest.cluster.config.ts",
    reason: "the cluster's own controllers back off for longer than a test waits when the machine starves them",
  },
  {
    file: "vitest.config.ts",
    reason:
      "end to end: many real processes and a browser, which a starved machine delays beyond any limit; once more, by name",
  },
  {
    file: "vitest.faults.config.ts",
    reason: "the long ones of the same kind; kills, fuzz, faults, escapes and random hands are never tried again",
  },
];
