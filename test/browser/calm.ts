import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { violations } from "./axe.ts";

const folder = process.env.COX_TEST_SHOTS;

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
