import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../support/cox.ts";
import { violations } from "./axe.ts";
import { furnish } from "./furnish.ts";
import { type BrowserWorld, inBrowser } from "./page.ts";

const images = join(root, "docs/user/images");

/** Every screen, furnished. With UPDATE_SCREENSHOTS=1 the pictures of the user's guide are taken anew. */
inBrowser("every screen", (world) => {
  let runs: Awaited<ReturnType<typeof furnish>>;
  beforeAll(async () => {
    runs = await furnish(world.server);
  }, 60_000);
  afterAll(() => expect(world.complaints.splice(0)).toEqual([]));

  const screens = (): Record<string, { path: string; ready: string; picture?: true }> => ({
    board: { path: "/", ready: "Greet people politely", picture: true },
    list: { path: "/?view=list", ready: "Greet people politely" },
    inbox: { path: "/inbox", ready: "Which queue shall I use?", picture: true },
    session: { path: `/runs/${runs.review}`, ready: "I made the greeting", picture: true },
    waiting: { path: `/runs/${runs.waiting}`, ready: "Allow once" },
    failed: { path: `/runs/${runs.failed}`, ready: "Session ended" },
    review: { path: `/runs/${runs.review}/review`, ready: "0 of 2 reviewed", picture: true },
    files: { path: `/runs/${runs.review}/files?file=agent-stdout.txt`, ready: "session/update" },
    runs: { path: `/runs/${runs.review}/runs`, ready: "live" },
    agents: { path: "/agents", ready: "New profile", picture: true },
    bus: { path: "/bus/webshop", ready: "read-only until noon" },
    tree: { path: "/tree/webshop", ready: "Greet people politely" },
    cost: { path: "/cost", ready: "Per day and agent", picture: true },
    rules: { path: "/settings/rules", ready: "No rules" },
    budgets: { path: "/settings/budgets", ready: "No project has a budget" },
    notifications: { path: "/settings/notifications", ready: "Send a test message" },
    tokens: { path: "/settings/tokens", ready: "Name of the new token" },
    audit: { path: "/settings/audit", ready: "run.started" },
    page: { path: "/settings/page", ready: "Forget this browser" },
  });

  const show = async (page: Page, { path, ready }: { path: string; ready: string }) => {
    await page.goto(world.server.url + path);
    await page.getByText(ready).first().waitFor();
    await page.evaluate(() => document.fonts.ready);
  };

  test("fits, and has no serious violation", { timeout: 180_000 }, async () => {
    const page = await world.page();
    const found: string[] = [];
    for (const [name, screen] of Object.entries(screens())) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: "light" });
      await show(page, screen);
      const say = (where: string, what: readonly string[]) =>
        found.push(...what.map((each) => `${name}, ${where}: ${each}`));
      say("light", await violations(page));
      await page.emulateMedia({ colorScheme: "dark" });
      say("dark", await violations(page, ["color-contrast"]));
      // 640 is what is left of 1280 when the text is twice as large.
      for (const width of [1280, 768, 640, 360]) {
        await page.setViewportSize({ width, height: 740 });
        say(`${width} px`, await page.evaluate(stickingOut));
        say(`${width} px`, await page.evaluate(squeezed));
      }
      say("360 px", await violations(page));
    }
    expect(found).toEqual([]);
    await world.endPages();
  });

  /** No test of anything: it renews the pictures of the docs. */
  const pictures = async () => {
    mkdirSync(images, { recursive: true });
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await world.page("/", { colorScheme });
      for (const [name, screen] of Object.entries(screens())) {
        if (!screen.picture) continue;
        await show(page, screen);
        await settled(page);
        await page.screenshot({ path: join(images, `web-${name}-${colorScheme}.png`) });
      }
      await page.goto(`${world.server.url}/runs/${runs.review}/review?file=src/greet.ts`);
      await world.endPages();
    }
    await phone(world, runs.waiting);
  };
  if (process.env.UPDATE_SCREENSHOTS === "1") test("is pictured", { timeout: 120_000 }, pictures);
});

async function phone(world: BrowserWorld, run: string): Promise<void> {
  const page = await world.page(`/runs/${run}`, {
    viewport: { width: 390, height: 780 },
    deviceScaleFactor: 2,
    hasTouch: true,
  });
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await settled(page);
  await page.screenshot({ path: join(images, "web-phone.png") });
  await world.endPages();
}

/** Colours of code and figures come a moment after the text. */
const settled = (page: Page) => page.waitForTimeout(800);

/** Runs in the page. */
function stickingOut(): string[] {
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 0) return [`the page is ${over} px too wide`];
  const scrolls = (element: Element | null): boolean => {
    if (element === null) return false;
    const { overflowX } = getComputedStyle(element);
    return overflowX !== "visible" || scrolls(element.parentElement);
  };
  // Nothing is cut off on the right either, except inside of what scrolls by itself.
  return [...document.querySelectorAll("body *")]
    .filter((element) => {
      const { right, width, height } = element.getBoundingClientRect();
      if (width === 0 || height === 0 || right <= innerWidth + 1) return false;
      const { position } = getComputedStyle(element);
      return position !== "absolute" && position !== "fixed" && !scrolls(element.parentElement?.parentElement ?? null);
    })
    .slice(0, 3)
    .map((element) => `${element.tagName}.${element.className}`);
}

/** Runs in the page: labels that were pressed until their letters stand one below the other. */
function squeezed(): string[] {
  return [...document.querySelectorAll("a, button, th, h1, h2")]
    .filter((element) => {
      const { width, height } = element.getBoundingClientRect();
      return (element.textContent ?? "").trim().length > 3 && width > 0 && height > 2.5 * width;
    })
    .slice(0, 3)
    .map((element) => `"${element.textContent}" is squeezed`);
}
