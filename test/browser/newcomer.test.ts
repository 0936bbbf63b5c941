import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { keysRested, pressWhenSteady } from "./answering.ts";
import { inBrowser } from "./page.ts";

inBrowser("a newcomer", (world) => {
  afterEach(async ({ task }) => {
    await world.endPages(task.result?.state === "fail");
    expect(world.complaints.splice(0)).toEqual([]);
  });

  test("without the link learns how to get one", async () => {
    const page = await world.tab(await world.context());
    await page.goto(world.server.url);
    await page.getByRole("heading", { name: "Open Coxswain with its link" }).waitFor();
    await page.getByText("cox serve open").waitFor();
  });

  test("enters once with the link, which leaves the address", async () => {
    const context = await world.context();
    const page = await world.tab(context);
    const link = await world.server.link();
    await page.goto(link);
    await page.getByText("See an agent work").waitFor();
    expect(page.url()).toBe(`${world.server.url}/`);
    const other = await world.tab(await world.context());
    await other.goto(link);
    await other.getByRole("heading", { name: "Open Coxswain with its link" }).waitFor();
  });

  test("starts the demo agent from the empty board, approves its request and sees the diff", async () => {
    const page = await world.page();
    await page.getByRole("button", { name: "Start the demo agent" }).click();
    const asks = page.getByRole("region", { name: "The agent waits for you" });
    await asks.getByText("Notes of the demo agent").waitFor();
    await pressWhenSteady(asks.getByRole("button", { name: "Allow once" }));
    await page.getByText("I wrote down what you asked").waitFor();
    expect(existsSync(join(world.server.scene.workspace, "cox-demo.md"))).toBe(true);
    await page.getByRole("link", { name: "Review", exact: true }).click();
    await page.locator(".diff tr.added").getByText("Notes of the demo agent").waitFor();
  });

  test("whose screen can't be loaded gets it when the server is back", async () => {
    const page = await world.page();
    let refused = 0;
    await page.route("**/assets/agents-*.js", (route) => {
      refused += 1;
      return refused === 1 ? route.abort() : route.continue();
    });
    await page.getByRole("link", { name: "Agents" }).click();
    await page.getByRole("heading", { name: "Agents" }).waitFor();
    expect(refused).toBe(2);
  });

  test("does it all by keys: new task, answer, next prompt, done", async () => {
    const page = await world.page();
    const { keyboard } = page;
    await page.getByRole("heading", { name: "Board" }).waitFor();
    await keyboard.press("n");
    await page.getByLabel("What is to be done?").waitFor();
    await keyboard.type("By keys\n@edit keys.md hello\n@say ready to look at");
    for (let i = 0; i < 3; i += 1) await keyboard.press("Tab");
    await keyboard.press("Control+a");
    await keyboard.type(world.server.scene.workspace);
    await keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Allow once" }).waitFor();

    await keysRested(page);
    await keyboard.press("g");
    await keyboard.press("i");
    const item = page.locator(".inbox-item", { hasText: "By keys" });
    await item.waitFor();
    await keysRested(page);
    while (!(await item.getAttribute("class"))?.includes("current")) await keyboard.press("j");
    await keyboard.press("a");
    await item.waitFor({ state: "detached" });

    await keysRested(page);
    await keyboard.press("g");
    await keyboard.press("b");
    const card = page.locator("[data-column=review] .card", { hasText: "By keys" });
    await card.waitFor();
    for (let i = 0; i < 8 && !(await card.locator("a").evaluate((link) => link === document.activeElement)); i += 1) {
      await keyboard.press("l");
    }
    await keyboard.press("Enter");
    await page.getByText("ready to look at").last().waitFor();
    await keyboard.press("c");
    await keyboard.type("@say one thing more");
    await keyboard.press("Enter");
    await page.locator(".row-message").getByText("one thing more").waitFor();
    await page.getByText("Your turn").waitFor();

    await keyboard.press("Escape");
    await keysRested(page);
    await keyboard.press("b");
    await card.waitFor();
    await keyboard.press("Control+k");
    await keyboard.type("agents");
    await keyboard.press("Enter");
    await page.getByRole("heading", { name: "Agents" }).waitFor();
    await keysRested(page);
    await keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" });
  });
});
