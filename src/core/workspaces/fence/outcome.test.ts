import { describe, expect, test } from "vitest";
import { keptAs, parseOutcome } from "./outcome.ts";

const ID = "a".repeat(40);
const BUNDLE = `# v2 git bundle\n-${ID} x\n${ID} refs/heads/main\n\nPACK`;

describe("what the agent's git says", () => {
  test("is its refs, and where its pack begins", () => {
    const head = `${ID} refs/heads/main\n${ID} refs/tags/a b\nrefs/heads/main HEAD\n\n`;
    const outcome = parseOutcome(Buffer.from(head + BUNDLE));
    expect(outcome?.head).toBe("refs/heads/main");
    expect([...(outcome?.refs.keys() ?? [])]).toEqual(["refs/heads/main", "refs/tags/a b"]);
    expect((head + BUNDLE).slice(outcome?.packAt)).toBe("PACK");
    for (const nothing of ["", "# v2 git bundle\n", BUNDLE.replace("PACK", "")]) {
      expect(parseOutcome(Buffer.from(head + nothing))).toMatchObject({ head: "refs/heads/main" });
      expect(parseOutcome(Buffer.from(head + nothing))?.packAt).toBeUndefined();
    }
    expect(parseOutcome(Buffer.from(`${ID} HEAD\n\n`))?.head).toBe(ID);
  });

  test.each([
    ["nothing", ""],
    ["no end", `${ID} refs/heads/main\nrefs/heads/main HEAD\n`],
    ["a HEAD elsewhere", `../../x HEAD\n\n`],
    ["a ref elsewhere", `${ID} refs/cox/1\nrefs/heads/main HEAD\n\n`],
    ["no id", `--all refs/heads/main\nrefs/heads/main HEAD\n\n`],
    ["no bundle", `refs/heads/main HEAD\n\nPACK`],
  ])("is not understood: %s", (_, text) => {
    expect(parseOutcome(Buffer.from(text))).toBeUndefined();
  });
});

test.each([
  ["refs/heads/main", "refs/cox/r/heads/main"],
  ["refs/heads/feature/ünï-1.2", "refs/cox/r/heads/feature/ünï-1.2"],
  ["refs/tags/v1", "refs/cox/r/tags/v1"],
  ["refs/stash", "refs/cox/r/stash"],
  ["HEAD", "refs/cox/r/HEAD"],
  ["refs/heads/../../heads/main", undefined],
  ["refs/heads/-x", undefined],
  ["refs/heads/a b", undefined],
  ["refs/heads/a\u001b[2J", undefined],
  ["refs/heads/$(x)", undefined],
  ["refs/heads/a.lock", undefined],
  ["refs/heads/.a", undefined],
  [`refs/heads/${"a".repeat(200)}`, undefined],
])("%j is kept as %j", (ref, as) => {
  expect(keptAs("r", ref)).toBe(as);
});
