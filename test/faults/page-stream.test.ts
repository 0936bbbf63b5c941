import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { inBrowser, metricsOf } from "../browser/page.ts";

const SECONDS = 60;
const RATE = 200;

/** A page that does the least one can do: a text node for each event. */
const BASELINE = `<!doctype html><pre id="all"></pre><script>
  const all = document.getElementById("all");
  const stream = new EventSource("/api/v1/runs/" + location.hash.slice(1) + "/stream");
  stream.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.type === "message_chunk") all.append(event.text);
  };
</script>`;

inBrowser("a stream of 200 events per second", (world) => {
  test(`costs little for ${SECONDS} s, and the heap stays flat`, { timeout: 300_000, retry: 0 }, async () => {
    // A minute to get going, a minute that is measured.
    const run = await world.server.run(`@slow ${RATE * SECONDS * 2.5} ${1000 / RATE}`);
    const page = await world.page(`/runs/${run}`);
    const least = await world.tab(page.context());
    await least.route("**/least", (route) => route.fulfill({ contentType: "text/html", body: BASELINE }));
    await least.goto(`${world.server.url}/least#${run}`);
    await page.getByText("tick 5").first().waitFor();

    await page.waitForTimeout(SECONDS * 1000);
    const before = await Promise.all([page, least].map(busy));
    const heapBefore = await heap(page);
    await page.waitForTimeout(SECONDS * 1000);
    const after = await Promise.all([page, least].map(busy));
    const heapAfter = await heap(page);

    const [ours = 0, theirs = 1] = after.map((value, i) => value - (before[i] ?? 0));
    const perEvent = (seconds: number) => ((seconds * 1e6) / (RATE * SECONDS)).toFixed(0);
    console.log(
      `main thread: ${perEvent(ours)} µs per event against ${perEvent(theirs)} µs; ` +
        `heap ${heapBefore.toFixed(1)} MB after a minute, ${heapAfter.toFixed(1)} MB after two`,
    );
    // A meter that stands still would be green too: both pages were given every event.
    expect(theirs).toBeGreaterThan(0.1);
    expect(await least.locator("#all").innerText()).toContain(`tick ${RATE * SECONDS} `);
    expect(ours / theirs).toBeLessThanOrEqual(5);
    expect(heapAfter - heapBefore).toBeLessThan(3);
    await world.endPages();
  });
});

const busy = async (page: Page) => (await metricsOf(page)).TaskDuration ?? 0;
const heap = async (page: Page) => ((await metricsOf(page)).JSHeapUsedSize ?? 0) / 1024 / 1024;
