import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const folder = process.env.COX_TEST_SHOTS;

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** In light and dark, on a phone and on a desk: nothing that a person with another sight or hand would stumble over. */
export async function expectCalm(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      expect(await violations(page)).toEqual([]);
    }
  }
  if (before !== null) await page.setViewportSize(before);
}

/** In a world of the browser's own: the page's policy allows no script but its own. */
async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await session.send("Page.getFrameTree");
    const world = { frameId: frameTree.frame.id, worldName: "axe" };
    const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", world);
    await session.send("Runtime.evaluate", { contextId, expression: readFileSync(axe, "utf8") });
    const expression = "axe.run(document, { resultTypes: ['violations'] })";
    const given = { contextId, expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", given);
    if (exceptionDetails !== undefined) throw new Error(`axe: ${exceptionDetails.text}`);
    const { violations: found } = result.value as { violations: Violation[] };
    return found
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}: ${nodes[0]?.failureSummary}`);
  } finally {
    await session.detach();
  }
}
