import type { Locator, Page } from "playwright-core";
import { until } from "../support/cox.ts";
import type { BrowserWorld } from "./page.ts";

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

/** A turn that lasts until `goOn`, however long a busy machine takes for what is done meanwhile. */
export const BUSY_TURN = "@say tick 1\n@permission Go on";

export async function goOn({ server: { api } }: BrowserWorld, run: string): Promise<void> {
  const asked = await until(async () => (await api.call("GET /inbox")).items.find(({ run_id }) => run_id === run));
  await api.call("POST /runs/{run}/requests/{pending}", {
    params: { run, pending: asked.pending_id },
    body: { answer: { optionId: "allow-once" } },
  });
}
