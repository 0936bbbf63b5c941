import { afterEach, expect, test } from "vitest";
import { until } from "../support/cox.ts";
import { inBrowser } from "./page.ts";

inBrowser("a page in trouble", (world) => {
  afterEach(async ({ task }) => {
    await world.endPages(task.result?.state === "fail");
    await world.server.endRuns();
    expect(world.complaints.splice(0)).toEqual([]);
  });

  const newTask = (title: string) =>
    world.server.api.call("POST /tasks", {
      body: { title, prompt: "@say hi", project: "trouble", agent: "demo", workspace: world.server.scene.workspace },
    });

  /** Whatever comes of it, the next test finds the server again. */
  const whileAway = async (look: () => Promise<void>) => {
    await world.server.stop();
    try {
      await look();
    } finally {
      await world.server.start();
    }
  };

  test("a card stays where it is when the server is away, and the banner gives no reason it doesn't have", async () => {
    await newTask("Stay here");
    const page = await world.page();
    const card = page.getByRole("link", { name: "Stay here" });
    await card.waitFor();
    const banner = page.getByText(/No connection for/);
    await whileAway(async () => {
      await banner.waitFor();
      expect(await banner.innerText()).not.toContain("undefined");
      await card.focus();
      await page.keyboard.press("s");
      await page.locator(".toast").getByText("The server can't be reached.").waitFor();
      expect(await card.count()).toBe(1);
    });
    await banner.waitFor({ state: "detached" });
    await card.waitFor();
  });

  test("what could not be read is read when the server is back", async () => {
    const page = await world.page("/cost");
    await page.getByRole("button", { name: "90 days" }).waitFor();
    await whileAway(async () => {
      await page.getByRole("button", { name: "90 days" }).click();
      await page.getByRole("button", { name: "Try again" }).waitFor();
    });
    await page.getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
    await page.getByText("Nothing was spent").or(page.getByText("Per day and agent")).first().waitFor();
  });

  test("two tasks that change at once are both shown as they are", async () => {
    const made = [await newTask("One of two"), await newTask("Two of two")];
    const page = await world.page();
    await page.getByRole("link", { name: "Two of two" }).waitFor();
    // Both are asked for before either is answered.
    const held: (() => void)[] = [];
    await page.route(/\/api\/v1\/tasks\/trouble\/[^/?]+$/, async (route) => {
      if (route.request().method() !== "GET") return route.continue();
      if (held.length < 2) await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    for (const { project, task } of made)
      await world.server.api.call("POST /tasks/{project}/{task}/cancel", { params: { project, task }, body: {} });
    await until(() => held.length === 2);
    for (const go of held) go();
    await until(async () => (await page.locator(".card.cancelled").count()) === 2);
  });

  test("a browser that is logged out says so, and goes on in every tab when one is let in again", async () => {
    const context = await world.context();
    const [first, second] = [await world.tab(context), await world.tab(context)];
    await first.goto(await world.server.link());
    await first.getByRole("navigation", { name: "Main" }).waitFor();
    await second.goto(`${world.server.url}/settings/page`);
    await second.getByRole("button", { name: "Forget this browser" }).click();
    for (const page of [first, second])
      await page.getByRole("heading", { name: "Open Coxswain with its link" }).waitFor();
    await first.getByText("This browser was logged out.").waitFor();

    const third = await world.tab(context);
    await third.goto(await world.server.link());
    for (const page of [first, third]) await page.getByRole("navigation", { name: "Main" }).waitFor();
    await newTask("News for everybody");
    for (const page of [first, third]) await page.getByText("News for everybody").waitFor();
  });

  test("a token that is revoked leads to the way in, not to the server's words", async () => {
    const page = await world.page();
    const { items } = await world.server.api.call("GET /tokens");
    for (const { id } of items) await world.server.api.call("DELETE /tokens/{token}", { params: { token: id } });
    // By keys: it may have heard of it already, and then there is nothing to click on.
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.getByText("This browser was logged out.").waitFor();
    expect(await page.getByText("Authorization: Bearer").count()).toBe(0);
  });
});
