import { afterEach, expect, test } from "vitest";
import { VERSION } from "../../src/lib/base/version.ts";
import { expectCalm } from "./calm.ts";
import { checklist } from "./checklist.ts";
import { inBrowser } from "./page.ts";

inBrowser("an agent, from the first look to the last", (world) => {
  afterEach(async ({ task }) => {
    await world.endPages(task.result?.state === "fail");
    expect(world.complaints.splice(0)).toEqual([]);
  });

  test("what is not there is taught, not hidden: terminals and clusters", async () => {
    const page = await world.page("/terminals");
    await page.getByText("This server has no hub").waitFor();
    await page.getByText("cox serve --hub").waitFor();
    await expectCalm(page, "terminals-none");
    await page.goto(`${world.server.url}/cluster`);
    await page.getByText("there is no kubeconfig").waitFor();
    await page.getByText(/cox k8s install/).waitFor();
    await expectCalm(page, "cluster-none");
  });

  test("the checklist holds for the demo agent", () =>
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
