import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { inBrowser, metricsOf } from "../browser/page.ts";

const SECONDS = 60;
const RATE = 200;

/**
 * A page that does the least one can do: a text node for each event. A new paragraph now and then, or it would lay out all of
 * its text for each of them, and anything would look good beside it.
 */
const BASELINE = `<!doctype html><body><script>
  const stream = new EventSource("/api/v1/runs/" + location.hash.slice(1) + "/stream");
  let paragraph, count = 0;
  stream.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.type !== "message_chunk") return;
    if (count++ % 100 === 0) document.body.append(paragraph = document.createElement("p"));
    paragraph.append(event.text);
  };
</script>`;

inBrowser("a stream of 200 events per second", (world) => {
  test(`costs little for ${SECONDS} s, and the heap stays flat`, { timeout: 300_000, retry: 0 }, async () => {
    // A minute to get going, a minute that is measured. Between two words there is more than the pause: hence a shorter one.
    const run = await world.server.run(`@slow ${RATE * SECONDS * 4} ${1000 / RATE - 2}`);
    const page = await world.page(`/runs/${run}`);
    const least = await world.tab(page.context());
    await least.route("**/least", (route) => route.fulfill({ contentType: "text/html", body: BASELINE }));
    await least.goto(`${world.server.url}/least#${run}`);
    await page.getByText("tick 5").first().waitFor();

    await page.waitForTimeout(SECONDS * 1000);
    const begun = {
      ours: await busy(page),
      least: await busy(least),
      count: await counted(least),
      heap: await heap(page),
    };
    await page.waitForTimeout(SECONDS * 1000);
    const ended = {
      ours: await busy(page),
      least: await busy(least),
      count: await counted(least),
      heap: await heap(page),
    };

    const events = ended.count - begun.count;
    const perEvent = (who: "ours" | "least") => ((ended[who] - begun[who]) * 1e6) / events;
    console.log(
      `${(events / SECONDS).toFixed(0)} events/s, main thread ${perEvent("ours").toFixed(0)} µs per event ` +
        `against ${perEvent("least").toFixed(0)} µs; heap ${begun.heap.toFixed(1)}, then ${ended.heap.toFixed(1)} MB`,
    );
    // A meter that stands still, or a stream that does, would be green too.
    expect(events).toBeGreaterThan((RATE * SECONDS) / 2);
    expect(perEvent("least")).toBeGreaterThan(10);
    expect(perEvent("ours") / perEvent("least")).toBeLessThanOrEqual(5);
    expect(ended.heap - begun.heap).toBeLessThan(1);
    await world.endPages();
  });
});

const busy = async (page: Page) => (await metricsOf(page)).TaskDuration ?? 0;
const counted = (page: Page) => page.evaluate<number>("count");
const heap = async (page: Page) => ((await metricsOf(page)).JSHeapUsedSize ?? 0) / 1024 / 1024;
