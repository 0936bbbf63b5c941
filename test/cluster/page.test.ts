import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { expectCalm } from "../browser/calm.ts";
import { inBrowser } from "../browser/page.ts";
import { ClusterScene, facts, noNode } from "./scene.ts";

/** A line of Claude's stream. The prompt is shown too: what the agent says is put together in the pod. */
const says = (text: string, id: string) => {
  const message = { id, model: "x", content: [{ type: "text", text: `${text} from the POD` }] };
  return `echo '${JSON.stringify({ type: "assistant", message })}' | sed s/POD/pod/`;
};

describe.skipIf(noNode)("the page of a server with a kubeconfig", () => {
  let scene: ClusterScene;
  const folder = mkdtempSync(join(tmpdir(), "cox-kubeconfig-"));
  afterAll(async () => {
    await scene?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  inBrowser(
    "the Cluster screen",
    (world) => {
      afterEach(async ({ task }) => {
        await world.endPages(task.result?.state === "fail");
        expect(world.complaints.splice(0)).toEqual([]);
      });

      test("shows Tasks with their phases and reasons", async () => {
        await scene.task(
          "good",
          "echo '---KELOS_OUTPUTS_START---'; echo 'branch: b1'; echo '---KELOS_OUTPUTS_END---'",
          {
            branch: "feature",
          },
        );
        await scene.task("bad", "exit 5");
        await scene.task("poor", "true", {
          type: "claude-code",
          credentials: { type: "api-key", secretRef: { name: "nowhere" } },
        });
        await scene.task("late", "true", { dependsOn: ["poor"] });
        const page = await world.page("/cluster");
        const row = (name: string) => page.locator(`[data-task="${scene.namespace}/${name}"]`);
        await row("good").getByText("Succeeded").waitFor();
        await row("good").getByText("feature").waitFor();
        await row("bad").getByText("Failed", { exact: true }).waitFor();
        await row("bad").getByText("AgentFailed").waitFor();
        await row("poor").getByText("SecretNotFound").waitFor();
        await row("late").getByText("Waiting", { exact: true }).waitFor();
        await expectCalm(page, "cluster");

        await page.getByLabel("Phase").selectOption("Failed");
        await row("good").waitFor({ state: "detached" });
        await row("bad").waitFor();
        expect(await row("good").count()).toBe(0);

        await row("bad").getByRole("link", { name: "bad" }).click();
        const known = page.getByRole("region", { name: "Facts" });
        await known.getByText(/^AgentFailed: .*5/).waitFor();
        expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
        await page.goto(`${world.server.url}/cluster/${scene.namespace}/poor`);
        await known.getByText(/nowhere/).waitFor();
        await expectCalm(page, "cluster-task");
      });

      test("shows a running Task's transcript as it grows, and cancels it when that is meant", async () => {
        const script = [
          "trap 'echo had my gr\"\"ace; exit 0' TERM",
          says("Hello", "m1"),
          "while [ ! -e /tmp/go ]; do sleep 0.1; n=$((n + 1)); [ $n = 30 ] && touch /tmp/go; done",
          says("More", "m2"),
          "while true; do sleep 0.1; done",
        ];
        await scene.task("live", script.join("\n"), { type: "claude-code" });
        const page = await world.page(`/cluster/${scene.namespace}/live`);
        const log = page.getByRole("log", { name: "What the agent says" });
        const said = log.locator(".row-message");
        await said.getByText("Hello from the pod").waitFor({ timeout: 60_000 });
        await page.getByText("Running", { exact: true }).waitFor();
        await said.getByText("More from the pod").waitFor();
        expect(await said.getByText("Hello from the pod").count()).toBe(1);
        await expectCalm(page, "cluster-live");

        await page.getByRole("button", { name: "Cancel" }).click();
        await page.getByRole("dialog", { name: "Cancel live?" }).waitFor();
        await page.keyboard.press("Escape");
        await page.getByRole("dialog", { name: "Cancel live?" }).waitFor({ state: "detached" });
        expect((await scene.get("live")).spec.cancel).not.toBe(true);
        await page.getByRole("button", { name: "Cancel" }).click();
        await page.getByRole("button", { name: "Cancel the Task" }).click();
        await page.getByText("Cancelled", { exact: true }).waitFor({ timeout: 60_000 });
        await log.getByText("had my grace").waitFor();
        expect((await scene.when("live")).status?.phase).toBe("Cancelled");
        expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
      });
    },
    async () => {
      scene = await ClusterScene.open();
      await scene.operate();
      return { env: { KUBECONFIG: kubeconfigFor(scene.namespace, folder) } };
    },
  );
});

/** The suite's own, with this namespace as the one that is meant. */
function kubeconfigFor(namespace: string, folder: string): string {
  const config = JSON.parse(readFileSync(facts?.kubeconfig ?? "", "utf8"));
  for (const { context } of config.contexts) context.namespace = namespace;
  const file = join(folder, "config");
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}
