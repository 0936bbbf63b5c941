import { afterEach, expect, test } from "vitest";
import { VERSION } from "../../src/base/version.ts";
import { checklist } from "./checklist.ts";
import { inBrowser } from "./page.ts";

inBrowser("the checklist of an integrated agent", (world) => {
  afterEach(async ({ task }) => {
    await world.endPages(task.result?.state === "fail");
    expect(world.complaints.splice(0)).toEqual([]);
  });

  test("holds for the demo agent", () =>
    checklist(world, {
      name: "Demo",
      version: VERSION,
      defaultModel: "demo-fast",
      models: [
        { choice: "demo-fast", id: "demo-fast" },
        { choice: "demo-smart", id: "demo-smart" },
      ],
      say: {
        hello: "@usage 10 5\n@context 100 1000\n@say hello",
        slow: "@slow 600 100",
        shell: (command) => `@run ${command}`,
        remember: (word) => `the magic word is ${word}\n@say noted`,
        recall: "@memory",
        model: "@model",
        trouble: "@error auth",
      },
      context: 100,
    }));
});
