import type { Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { conversation, importRun } from "./made-run.ts";
import { type BrowserWorld, inBrowser, metricsOf } from "./page.ts";

inBrowser("a conversation of 50,000 events", (world) => {
  afterEach(({ task }) => world.endPages(task.result?.state === "fail"));

  test("opens as quickly as a short one, and stays small", { timeout: 120_000 }, async () => {
    const short = await importRun(world.server, "short", conversation(500));
    const long = await importRun(world.server, "long", conversation(50_000));
    const page = await world.page();
    await opened(world, page, short); // the scripts are in the cache for both
    const times: Record<string, number[]> = { [short]: [], [long]: [] };
    for (let i = 0; i < 5; i += 1) for (const run of [short, long]) times[run]?.push(await opened(world, page, run));
    const best = (run: string) => Math.min(...(times[run] ?? []));
    expect(best(long) / best(short)).toBeLessThanOrEqual(1.3);
    expect(await page.locator("*").count()).toBeLessThanOrEqual(400);

    // From the end to the beginning, which is fetched on the way, and back.
    await page.goto(`${world.server.url}/runs/${long}?event=1`);
    await page.getByText("Question 1", { exact: true }).waitFor();
    expect(await page.locator("*").count()).toBeLessThanOrEqual(400);
    await page.getByRole("button", { name: "To the end" }).click();
    await page.getByText("Session ended: done").waitFor();
    expect(await page.locator("*").count()).toBeLessThanOrEqual(400);
    const { JSHeapUsedSize = 0 } = await metricsOf(page);
    expect(JSHeapUsedSize / 1024 / 1024).toBeLessThanOrEqual(150);
    console.log(
      `first paint ${best(long).toFixed(0)} ms against ${best(short).toFixed(0)} ms, ` +
        `${(JSHeapUsedSize / 1024 / 1024).toFixed(0)} MB with all 50,000 events loaded`,
    );
  });

  test("scrolling up fetches what was before, without a jump", async () => {
    const run = await importRun(world.server, "scrolled", conversation(3000));
    const page = await world.page(`/runs/${run}`);
    await page.getByText("Session ended: done").waitFor();
    const list = page.getByRole("log", { name: "Conversation" });
    await list.hover();
    for (let i = 0; i < 400 && (await page.getByText("Question 1", { exact: true }).count()) === 0; i += 1) {
      await page.mouse.wheel(0, -900);
      await page.waitForTimeout(15);
    }
    await page.getByText("Question 1", { exact: true }).waitFor();
  });
});

/** Milliseconds from going there to its last line in sight. */
async function opened(world: BrowserWorld, page: Page, run: string): Promise<number> {
  await page.goto(`${world.server.url}/inbox`);
  await page.getByRole("heading", { name: /Inbox/ }).waitFor();
  return page.evaluate(async (path) => {
    const begun = performance.now();
    history.pushState(null, "", path);
    dispatchEvent(new PopStateEvent("popstate"));
    while (!document.body.innerText.includes("Session ended: done"))
      await new Promise((resolve) => requestAnimationFrame(resolve));
    return performance.now() - begun;
  }, `/runs/${run}`);
}
