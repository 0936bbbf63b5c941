import { afterEach, expect, test } from "vitest";
import { until } from "../support/cox.ts";
import { BUSY_TURN, goOn } from "./answering.ts";
import { importRun } from "./made-run.ts";
import { inBrowser } from "./page.ts";

/** One white point. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAusB9Y2fXwAAAAAASUVORK5CYII=",
  "base64",
);

inBrowser("writing to an agent", (world) => {
  afterEach(async ({ task }) => {
    await world.endPages(task.result?.state === "fail");
    expect(world.complaints.splice(0)).toEqual([]);
  });

  test("completes commands and files, and takes images", async () => {
    const run = await world.server.run("@say ready");
    const page = await world.page(`/runs/${run}`);
    await page.getByText("Your turn").waitFor();
    const prompt = page.getByRole("combobox", { name: "Prompt" });
    await prompt.fill("/mem");
    await page.getByRole("option", { name: /memory/ }).waitFor();
    await prompt.press("Tab");
    expect(await prompt.inputValue()).toBe("/memory ");

    await prompt.fill("look at @gree");
    await page.getByRole("option", { name: /src\/greet\.ts/ }).waitFor();
    await prompt.press("Enter");
    expect(await prompt.inputValue()).toBe("look at @src/greet.ts ");

    await page.locator("input[type=file]").setInputFiles({ name: "point.png", mimeType: "image/png", buffer: PNG });
    await page.getByText("point.png").waitFor();
    await prompt.fill("@image");
    await prompt.press("Escape");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator(".row-message").getByText("images: 1").waitFor();
    const image = page.locator(".user-image");
    await image.waitFor();
    expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
  });

  test("changes an earlier prompt and branches there", async () => {
    const run = await world.server.run("@say one");
    const page = await world.page(`/runs/${run}`);
    await page.getByText("Your turn").waitFor();
    await page.getByRole("combobox", { name: "Prompt" }).fill("@say two");
    await page.keyboard.press("Enter");
    await page.locator(".row-message").getByText("two").waitFor();
    await page.getByText("Your turn").waitFor();
    await page.getByRole("button", { name: "Edit and send again" }).last().click();
    await page.getByRole("dialog").getByLabel("Prompt").fill("@say three");
    await page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
    await page.locator(".row-message").getByText("three").waitFor();
    expect(page.url()).not.toContain(run);
    await page.getByText(/^Resumed/).waitFor();
    expect(await page.locator(".row-user").count()).toBe(1);
    // The branch leaves what it came from as it was.
    await page.goBack();
    await page.locator(".row-message").getByText("two").waitFor();
  });

  test("a prompt that is edited keeps its image, in the queue and when it is sent again", async () => {
    const run = await world.server.run("@slow 1000 50");
    const page = await world.page(`/runs/${run}`);
    await page.getByText("tick 1").waitFor();
    await page.locator("input[type=file]").setInputFiles({ name: "point.png", mimeType: "image/png", buffer: PNG });
    await page.getByText("point.png").waitFor();
    await page.getByRole("combobox", { name: "Prompt" }).fill("@say no");
    await page.keyboard.press("Enter");
    const queue = page.getByRole("list", { name: "Prompts that wait" });
    await queue.getByRole("button", { name: "Edit" }).click();
    await page.keyboard.press("Escape");
    await queue.getByRole("button", { name: "Edit" }).click();
    expect(await queue.getByLabel("Prompt").inputValue()).toBe("@say no");
    await queue.getByLabel("Prompt").fill("@image");
    await queue.getByRole("button", { name: "Keep" }).click();
    await queue.getByText("@image").waitFor();
    await page.getByRole("button", { name: "Interrupt" }).click();
    await page.locator(".row-message").getByText("images: 1").waitFor();
    await page.getByText("Your turn").waitFor();

    await page.getByRole("button", { name: "Edit and send again" }).last().click();
    await page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
    await page.getByText(/^Resumed/).waitFor();
    await page.locator(".row-message").getByText("images: 1").waitFor();
  });

  test("moves queued prompts, and drops one", async () => {
    const run = await world.server.run(BUSY_TURN);
    const page = await world.page(`/runs/${run}`);
    await page.locator(".row-message").getByText("tick 1").waitFor();
    const prompt = page.getByRole("combobox", { name: "Prompt" });
    const queue = page.getByRole("list", { name: "Prompts that wait" });
    for (const word of ["alpha", "beta", "gamma"]) {
      await prompt.fill(`@say ${word}`);
      await prompt.press("Enter");
      await queue.getByText(word).waitFor();
    }
    await queue.getByRole("listitem").filter({ hasText: "gamma" }).getByRole("button", { name: "Earlier" }).click();
    await until(async () => (await queue.getByRole("listitem").allInnerTexts())[1]?.includes("gamma"));
    await queue.getByRole("listitem").filter({ hasText: "alpha" }).getByRole("button", { name: "Remove" }).click();
    await queue.getByText("alpha").waitFor({ state: "detached" });
    await goOn(world, run);
    await page.locator(".row-message").getByText("beta").waitFor();
    const said = await page.locator(".row-message").allInnerTexts();
    expect(said.slice(-2)).toEqual(["gamma", "beta"]);
  });

  test("a card is dragged to work", async () => {
    const { workspace } = world.server.scene;
    const body = { title: "Drag me", prompt: "@say dragged", project: "drags", agent: "demo", workspace };
    await world.server.api.call("POST /tasks", { body });
    const page = await world.page();
    const card = page.locator("[data-column=todo] .card", { hasText: "Drag me" });
    await card.dragTo(page.locator("[data-column=working]"));
    await page.locator("[data-column=review] .card, [data-column=done] .card", { hasText: "Drag me" }).waitFor();
  });

  test("what a sub-agent did is folded below its tool", async () => {
    const turn = "t";
    const child = { turn, parentToolCallId: "sub", kind: "execute" as const, toolStatus: "completed" as const };
    const run = await importRun(world.server, "sub-agent", [
      { type: "turn_started", turn },
      {
        type: "tool_call",
        turn,
        toolCallId: "sub",
        toolName: "Task",
        toolTitle: "Ask a helper",
        kind: "subagent",
        toolStatus: "completed",
      },
      { type: "tool_call", ...child, toolCallId: "inner", toolName: "Bash", toolTitle: "ls inside" },
      { type: "message_chunk", turn, messageId: "m", parentToolCallId: "sub", text: "the helper says" },
      { type: "message_chunk", turn, messageId: "n", text: "all done" },
    ]);
    const page = await world.page(`/runs/${run}`);
    await page.getByText("all done").waitFor();
    expect(await page.getByText("ls inside").count()).toBe(0);
    await page.getByRole("button", { name: "Sub-agent: 2 steps" }).click();
    await page.getByText("ls inside").waitFor();
    await page.getByText("the helper says").waitFor();
  });
});
