import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { until } from "../support/cox.ts";
import { type BrowserWorld, inBrowser } from "./page.ts";

inBrowser("a review", (world) => {
  afterEach(async ({ task }) => {
    await world.endPages(task.result?.state === "fail");
    expect(world.complaints.splice(0)).toEqual([]);
  });

  test("marks files, comments on lines, and sends all comments back in one message", async () => {
    const run = await worked(world, '@edit src/greet.ts export const greet = () => "hi";\n@edit notes.md one');
    const page = await world.page(`/runs/${run}/review`);
    await page.getByText("0 of 2 reviewed").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("r");
    await page.getByText("1 of 2 reviewed").waitFor();
    await page.reload();
    await page.getByText("1 of 2 reviewed").waitFor();

    const panel = page.getByRole("region", { name: "src/greet.ts" });
    await panel.getByRole("button", { name: "Comment on line 1" }).last().click();
    await panel.getByLabel("Comment", { exact: true }).fill("Keep the name in the greeting.");
    await panel.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByText("1 comment", { exact: true }).waitFor();
    await page.getByLabel("Words above the comments").fill("Almost.");
    await page.getByRole("button", { name: "Send to the agent" }).click();
    const sent = page.locator(".row-user").last();
    await sent.getByText("Keep the name in the greeting.").waitFor();
    expect(await sent.innerText()).toContain("Almost.");
    expect(await sent.innerText()).toContain("src/greet.ts");
    // Files are not changed under an agent at work: the tests after this one need it to be over.
    const goesOn = page.url().split("/").at(-1) ?? "";
    await world.server.api.call("POST /runs/{run}/stop", { params: { run: goesOn } });
    await page.getByText("Session ended").waitFor();
  });

  test("shows sides, gives up a file, and commits", async () => {
    const { workspace } = world.server.scene;
    clean(workspace);
    const run = await worked(world, "@edit given.md up\n@edit kept.md yes");
    const page = await world.page(`/runs/${run}/review`);
    await page.getByRole("button", { name: "Side by side" }).click();
    await page.locator(".diff.split").first().waitFor();

    await page.getByRole("region", { name: "given.md" }).getByRole("button", { name: "Give up changes" }).click();
    await page.getByRole("button", { name: "Give up", exact: true }).click();
    await page.getByRole("region", { name: "given.md" }).waitFor({ state: "detached" });
    expect(existsSync(join(workspace, "given.md"))).toBe(false);

    await page.getByRole("button", { name: "Commit…" }).click();
    await page.getByLabel("Message").fill("Keep it");
    await page.getByRole("button", { name: "Commit", exact: true }).click();
    await until(
      () => execFileSync("git", ["log", "-1", "--format=%s"], { cwd: workspace }).toString().trim() === "Keep it",
    );
  });

  test("goes back to an earlier turn", async () => {
    const { workspace } = world.server.scene;
    clean(workspace);
    writeFileSync(join(workspace, "README.md"), "# Mine\n");
    const run = await worked(world, "@edit README.md # Agent");
    const page = await world.page(`/runs/${run}/review`);
    await page.getByLabel("Undo", { exact: true }).selectOption("0");
    await page.getByText("1 file would change").waitFor();
    await page.getByRole("button", { name: "Change the files" }).click();
    await until(() => readFileSync(join(workspace, "README.md"), "utf8") === "# Mine\n");
  });
});

/** A run that has done this and waits for the next prompt. */
async function worked(world: BrowserWorld, prompt: string): Promise<string> {
  const run = await world.server.run(prompt, { permissions: "allow" });
  await until(async () => (await world.server.api.call("GET /runs/{run}", { params: { run } })).phase === "idle");
  return run;
}

function clean(workspace: string): void {
  execFileSync("git", ["checkout", "-q", "."], { cwd: workspace });
  execFileSync("git", ["clean", "-fdq"], { cwd: workspace });
}
