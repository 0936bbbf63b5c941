import type { Locator, Page } from "playwright-core";

/** Presses a way to say yes as a person does: once it stands still. The page says so by an attribute. */
export async function pressWhenSteady(button: Locator): Promise<void> {
  await button.scrollIntoViewIfNeeded();
  await button.and(button.page().locator("[data-steady]")).waitFor();
  await button.click({ force: true }); // also what would be refused
}

/** Single keys rest after the list of requests changed; the page says so by an attribute. */
export async function keysRested(page: Page): Promise<void> {
  await page.locator("html:not([data-keys=resting])").waitFor();
}
