import type { Page } from "playwright-core";
import { afterAll, afterEach, expect, test } from "vitest";
import { random } from "../support/random.ts";
import { keysRested } from "./answering.ts";
import { type InboxWatch, watchInbox } from "./inbox-watch.ts";
import { inBrowser } from "./page.ts";

declare const inboxWatch: InboxWatch;

const STEPS = 260;
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

/**
 * Somebody who clicks, types and hesitates at random, while requests come and others answer them: nothing is allowed but by its
 * own yes. The page itself judges, at the moment of each press.
 */
inBrowser("the inbox under random hands", (world) => {
  const sum = { mouse: 0, keys: 0, denied: 0 };
  afterEach(() => world.endPages());
  // A person who never gets to say yes would prove nothing.
  afterAll(() => {
    expect(sum.mouse).toBeGreaterThan(5);
    expect(sum.keys).toBeGreaterThan(5);
    expect(sum.denied).toBeGreaterThan(5);
  });

  test.each(SEEDS)("seed %i", { timeout: 120_000 }, async (seed) => {
    const page = await world.page();
    await page.addInitScript(watchInbox);
    await page.goto(`${world.server.url}/inbox`);
    await page.getByText("Nobody waits for you").waitFor();
    const hands = new Hands(page, random(seed));
    const done: string[] = [];
    for (let i = 0; i < STEPS; i += 1) {
      done.push(await hands.step());
      if (i % 5 < 4 && i + 1 < STEPS) continue;
      const wrong = await page.evaluate(() => inboxWatch.wrong);
      expect(wrong, `seed ${seed}, step ${i}: ${done.slice(-8).join(", ")}`).toEqual([]);
    }
    expect(new URL(page.url()).pathname).toBe("/inbox");
    const { mouse, keys, denied } = await page.evaluate(() => ({ ...inboxWatch.allowed, denied: inboxWatch.denied }));
    sum.mouse += mouse;
    sum.keys += keys;
    sum.denied += denied;
  });
});

class Hands {
  readonly #page: Page;
  readonly #next: () => number;
  readonly #ways: readonly (readonly [weight: number, name: string, go: () => Promise<void>])[];

  constructor(page: Page, next: () => number) {
    this.#page = page;
    this.#next = next;
    this.#ways = [
      [18, "arrive", () => this.#arrive()],
      [3, "foreign answer", () => this.#foreign(this.#any(4))],
      [16, "click", () => this.#click()],
      [16, "key", () => this.#key()],
      [6, "word", () => this.#word()],
      [8, "press where the list just moved", () => this.#race()],
      [5, "hold while the list moves", () => this.#hold()],
      [5, "type while the list moves", () => this.#typeOn()],
      [6, "yes by key", () => this.#yesByKey()],
      [6, "yes by mouse", () => this.#yesByMouse()],
      [6, "no", () => this.#no()],
    ];
  }

  async step(): Promise<string> {
    const total = this.#ways.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.#next() * total;
    for (const [weight, name, go] of this.#ways) {
      left -= weight;
      if (left > 0) continue;
      await go();
      return name;
    }
    return "nothing";
  }

  #any(below: number): number {
    return Math.floor(this.#next() * below);
  }

  async #arrive(): Promise<void> {
    const command = this.#any(5) === 0 ? `echo ${"x".repeat(3000)}; rm -rf /` : `echo ${this.#any(1000)}`;
    await this.#page.evaluate((given) => inboxWatch.open().length < 6 && inboxWatch.arrive(given), command);
  }

  /** The one at that place, or the last. Somebody else is quick, but the page must have heard of it. */
  async #foreign(place: number): Promise<void> {
    await this.#page.evaluate((at) => {
      const open = inboxWatch.open();
      const key = open[Math.min(at, open.length - 1)];
      if (key !== undefined) inboxWatch.answeredElsewhere(key);
    }, place);
  }

  async #foreignAndSeen(place: number): Promise<void> {
    const before = await this.#page.evaluate(() => [inboxWatch.changes(), inboxWatch.open().length] as const);
    await this.#foreign(place);
    if (before[1] > 0) await this.#moved(before[0]);
  }

  /** What is kept for the focus may not move at all: then a moment is enough. */
  async #moved(before: number): Promise<void> {
    await this.#page.evaluate(
      (known) =>
        new Promise<void>((resolve) => {
          const begun = performance.now();
          const look = () => {
            if (inboxWatch.changes() !== known || performance.now() - begun > 150) resolve();
            else setTimeout(look, 4);
          };
          look();
        }),
      before,
    );
  }

  /** In the middle of one of the buttons that are in sight. */
  async #aim(what: string): Promise<boolean> {
    const places = await this.#page.evaluate(
      (selector) =>
        [...document.querySelectorAll(selector)].flatMap((element) => {
          const { left, top, width, height } = element.getBoundingClientRect();
          const [x, y] = [left + width / 2, top + height / 2];
          return element.contains(document.elementFromPoint(x, y)) ? [[x, y] as const] : [];
        }),
      what,
    );
    const place = places[this.#any(places.length)];
    if (place !== undefined) await this.#page.mouse.move(...place);
    return place !== undefined;
  }

  async #press(): Promise<void> {
    await this.#page.mouse.down();
    await this.#page.mouse.up();
  }

  async #click(): Promise<void> {
    if (await this.#aim(".request button, .request input, .request h3, .screen-head h1")) await this.#press();
  }

  async #key(): Promise<void> {
    const keys = ["j", "k", "a", "A", "d", "s", "Escape", "Tab", "Shift+Tab", "a", "j"];
    await this.#page.keyboard.press(keys[this.#any(keys.length)] ?? "a");
  }

  async #word(): Promise<void> {
    // None with a letter that leads away from the inbox.
    const words = ["bad idea", "as always", "a", "Ask me later", "As I said"];
    await this.#page.keyboard.type(words[this.#any(words.length)] ?? "a");
  }

  async #race(): Promise<void> {
    if (!(await this.#aim("[data-do=allow], [data-do=always]"))) return;
    await this.#foreignAndSeen(0);
    await this.#press();
  }

  async #hold(): Promise<void> {
    if (!(await this.#aim(".request-foot button"))) return;
    await this.#page.mouse.down();
    await this.#foreignAndSeen(this.#any(3));
    await this.#page.mouse.up();
    await this.#word();
  }

  async #typeOn(): Promise<void> {
    if (this.#any(2) === 0 && (await this.#aim("[data-do=deny]"))) await this.#press();
    await this.#word();
    await this.#foreignAndSeen(this.#any(3));
    await this.#word();
    if (this.#any(2) === 0) await this.#page.keyboard.press("Escape");
    else if (await this.#aim(".request-deny [type=submit]")) await this.#press();
  }

  async #yesByKey(): Promise<void> {
    await this.#page.keyboard.press("Escape");
    await keysRested(this.#page);
    await this.#page.keyboard.press(this.#any(3) === 0 ? "A" : "a");
  }

  async #yesByMouse(): Promise<void> {
    // Until one stands still, or somebody else has answered them all.
    await this.#page.waitForFunction(() => {
      const yes = [...document.querySelectorAll("[data-do=allow]:not([aria-disabled])")];
      return yes.length === 0 || yes.some((button) => button.matches("[data-steady]"));
    });
    if (await this.#aim("[data-steady]")) await this.#press();
  }

  async #no(): Promise<void> {
    if (await this.#aim("[data-do=deny]")) await this.#press();
    await this.#word();
    if (await this.#aim(".request-deny [type=submit]")) await this.#press();
  }
}
