import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { type ServerWishes, startServer, type TestServer } from "./server.ts";

const places = [process.env.COX_TEST_BROWSER ?? "", "/usr/bin/chromium", "/usr/bin/chromium-browser"];
const program = places.find((path) => path !== "" && existsSync(path));

/** Tests in a real browser. Where there is none they say so instead of passing silently. */
export function inBrowser(
  name: string,
  tests: (world: BrowserWorld) => void,
  wishes: () => ServerWishes | Promise<ServerWishes> = () => ({}),
): void {
  if (program === undefined) {
    console.warn(`NO BROWSER: "${name}" was not tested. Install Debian's chromium, or set COX_TEST_BROWSER.`);
    describe.skip(`${name} (no browser)`, () => tests(new BrowserWorld()));
    return;
  }
  describe(name, { timeout: 60_000 }, () => {
    const world = new BrowserWorld();
    beforeAll(async () => world.open(await wishes()), 60_000);
    afterAll(() => world.close(), 60_000);
    tests(world);
  });
}

/** A browser, a server with a home of its own, and pages in them. */
export class BrowserWorld {
  #browser: Browser | undefined;
  #server: TestServer | undefined;
  #contexts: BrowserContext[] = [];
  /** What pages complained about: nothing, in a good test. */
  readonly complaints: string[] = [];

  async open(wishes: ServerWishes): Promise<void> {
    this.#server = await startServer(wishes);
    this.#browser = await chromium.launch({
      executablePath: program,
      args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-precise-memory-info"],
    });
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    await this.#server?.close();
  }

  get server(): TestServer {
    if (this.#server === undefined) throw new Error("the server was not started");
    return this.#server;
  }

  /** A page that is logged in, as a browser of its own. */
  async page(path = "/", options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.context(options);
    const page = await this.tab(context);
    await page.goto(await this.server.link());
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    if (path !== "/") await page.goto(this.server.url + path);
    return page;
  }

  async context(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    if (this.#browser === undefined) throw new Error("the browser was not started");
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    this.#contexts.push(context);
    return context;
  }

  async tab(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("console", (message) => {
      const text = message.text();
      // What a request was refused with is shown in the page; a broken policy or script is not.
      if (message.type() === "error" && !text.startsWith("Failed to load resource")) this.complaints.push(text);
    });
    return page;
  }

  /** After a failure, what the pages showed: in the folder that COX_TEST_SHOTS names. */
  async endPages(failed = false): Promise<void> {
    const folder = process.env.COX_TEST_SHOTS;
    for (const [i, context] of this.#contexts.splice(0).entries()) {
      for (const [j, page] of context.pages().entries()) {
        if (failed && folder !== undefined) await page.screenshot({ path: join(folder, `failed-${i}-${j}.png`) });
      }
      await context.close();
    }
  }
}

const counting = new WeakMap<Page, CDPSession>();

/** What a page holds and does, as the browser itself counts: from the first time this is asked. */
export async function metricsOf(page: Page): Promise<Record<string, number>> {
  // Times are counted while a session is open: one for each question would count nothing.
  const session = counting.get(page) ?? (await page.context().newCDPSession(page));
  if (!counting.has(page)) await session.send("Performance.enable");
  counting.set(page, session);
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}
