import type { Locator, Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { until } from "../support/cox.ts";
import { keysRested, pressWhenSteady } from "./answering.ts";
import { inBrowser } from "./page.ts";

/** A no is a no: nothing is allowed but what a person saw whole, and whose own yes they pressed. */
inBrowser("the inbox", (world) => {
  afterEach(async ({ task }) => {
    await world.endPages(task.result?.state === "fail");
    await world.server.endRuns();
    expect(world.complaints.splice(0)).toEqual([]);
  });

  const asking = async (prompt: string, count: number) => {
    const run = await world.server.run(prompt);
    const items = await until(async () => {
      const open = (await world.server.api.call("GET /inbox")).items.filter(({ run_id }) => run_id === run);
      return open.length === count ? open : undefined;
    });
    return { run, ids: items.map(({ pending_id }) => pending_id) };
  };
  const card = (page: Page, run: string, id: string) => page.locator(`[data-request="${run}/${id}"]`);
  const resolved = async (run: string) => {
    const { events } = await world.server.api.call("GET /runs/{run}/events", { params: { run } });
    return events.flatMap((event) =>
      event.type === "request_resolved" ? [[event.pendingId, event.outcome, event.reason ?? ""]] : [],
    );
  };
  const elsewhere = (run: string, pending: string) =>
    world.server.api.call("POST /runs/{run}/requests/{pending}", {
      params: { run, pending },
      body: { answer: { optionId: "reject-once" } },
    });
  const inSight = (button: Locator) =>
    button.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const there = document.elementFromPoint(left + width / 2, top + height / 2);
      return there !== null && element.contains(there);
    });
  const readToTheEnd = (asked: Locator) =>
    asked.locator(".request-what").evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
  const focusIn = (where: Locator) => where.evaluate((element) => element.contains(document.activeElement));

  test("Deny on a card that isn't current denies that card, and its reason is no key", async () => {
    const { run, ids } = await asking("@permissions 2", 2);
    const [, second = ""] = ids;
    const page = await world.page("/inbox");
    const button = card(page, run, second).getByRole("button", { name: "Deny…" });
    const before = await button.boundingBox();
    await button.hover();
    await page.mouse.down();
    expect(await button.boundingBox()).toEqual(before);
    await page.mouse.up();
    await page.keyboard.type("bad idea");
    await page.keyboard.press("Enter");
    await card(page, run, second).waitFor({ state: "detached" });
    expect(await resolved(run)).toEqual([[second, "denied", "bad idea"]]);
  });

  test("no key counts while a button is held down", async () => {
    const { run, ids } = await asking("@permissions 2", 2);
    const [, second = ""] = ids;
    const page = await world.page("/inbox");
    await keysRested(page);
    await card(page, run, second).getByRole("button", { name: "Deny…" }).hover();
    await page.mouse.down();
    await page.keyboard.press("a");
    await page.mouse.up();
    await page.getByLabel("Why not").waitFor();
    expect(await resolved(run)).toEqual([]);
  });

  test("the second press of a slow double click allows nothing", async () => {
    const { run, ids } = await asking("@permissions 3", 3);
    const page = await world.page("/inbox");
    await card(page, run, ids[0] ?? "")
      .locator("[data-do=allow][data-steady]")
      .waitFor();
    // In the page itself, which knows what its own clock says however busy the machine is.
    const gap = await page.evaluate(async () => {
      const allow = () => document.querySelector<HTMLElement>("[data-do=allow]");
      const press = () => {
        const button = allow();
        const down = new PointerEvent("pointerdown", { bubbles: true });
        button?.dispatchEvent(down);
        button?.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
        button?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 }));
        return down.timeStamp;
      };
      const before = allow();
      const first = press();
      while (allow() === before) await new Promise(requestAnimationFrame);
      await new Promise((resolve) => setTimeout(resolve, 400));
      return press() - first;
    });
    await until(async () => (await resolved(run)).length > 0);
    await page.locator("[data-do=allow][data-steady]").first().waitFor();
    expect(await resolved(run)).toHaveLength(gap < 700 ? 1 : 2);
  });

  test("what is below the edge is not shown: a yes shows it first", async () => {
    const { run, ids } = await asking(`@run ${"echo one of many\\n".repeat(50)}rm -rf nothing`, 1);
    const page = await world.page("/inbox", { viewport: { width: 1000, height: 420 } });
    const own = card(page, run, ids[0] ?? "");
    await own.getByText("There is more below.").waitFor();
    await pressWhenSteady(own.locator("[data-do=allow]"));
    await own.getByText("There was more below.").waitFor();
    await keysRested(page);
    await page.keyboard.press("a");
    expect(await resolved(run)).toEqual([]);
    await readToTheEnd(own);
    await pressWhenSteady(own.locator("[data-do=allow]"));
    await own.waitFor({ state: "detached" });
    expect((await resolved(run)).map(([id, outcome]) => [id, outcome])).toEqual([[ids[0], "allowed"]]);
  });

  test("the session that is opened from a request shows that request", async () => {
    const { run, ids } = await asking("@permissions 3", 3);
    const [, , third = ""] = ids;
    const page = await world.page("/inbox");
    await card(page, run, third).waitFor();
    await keysRested(page);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/request=/);
    await card(page, run, third).waitFor();
    await pressWhenSteady(card(page, run, third).locator("[data-do=allow]"));
    await card(page, run, third).waitFor({ state: "detached" });
    expect((await resolved(run)).map(([id]) => id)).toEqual([third]);
  });

  test("a press on Deny counts, even where the list moves before it is released", async () => {
    const { run, ids } = await asking("@permissions 3", 3);
    const [first = "", second = ""] = ids;
    const page = await world.page("/inbox");
    const button = card(page, run, second).getByRole("button", { name: "Deny…" });
    await button.hover();
    await page.mouse.down();
    await elsewhere(run, first);
    await card(page, run, first).waitFor({ state: "detached" });
    await page.mouse.up();
    await page.keyboard.type("bad idea");
    expect(await page.getByLabel("Why not").inputValue()).toBe("bad idea");
    expect((await resolved(run)).map(([id]) => id)).toEqual([first]);
  });

  test("a reason for what somebody else answers meanwhile stays a reason", async () => {
    const { run, ids } = await asking("@permissions 3", 3);
    const [first = ""] = ids;
    const page = await world.page("/inbox");
    await card(page, run, first).getByRole("button", { name: "Deny…" }).click();
    await page.keyboard.type("not ");
    await elsewhere(run, first);
    await card(page, run, first)
      .getByText(/Denied by/)
      .waitFor();
    await page.keyboard.type("a good idea");
    expect(await card(page, run, first).getByLabel("Why not").inputValue()).toBe("not a good idea");
    await page.keyboard.press("Enter");
    expect(await focusIn(card(page, run, first))).toBe(true);
    expect((await resolved(run)).map(([id]) => id)).toEqual([first]);
    // It leaves with the focus, which has somewhere to go.
    await page.keyboard.press("Escape");
    await keysRested(page);
    await page.keyboard.press("j");
    await card(page, run, first).waitFor({ state: "detached" });
    expect(await focusIn(page.locator("body"))).toBe(true);
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false);
  });

  test("on the session screen it is the same", async () => {
    const { run, ids } = await asking("@permissions 3", 3);
    const [first = "", second = ""] = ids;
    const page = await world.page(`/runs/${run}`);
    const dock = page.getByRole("region", { name: "The agent waits for you" });
    await dock.getByRole("button", { name: "Deny…" }).click();
    await page.keyboard.type("not ");
    await elsewhere(run, first);
    await card(page, run, first)
      .getByText(/Denied by/)
      .waitFor();
    await page.keyboard.type("a good idea");
    expect(await dock.getByLabel("Why not").inputValue()).toBe("not a good idea");
    // The next one comes when the focus leaves, and takes no key at once.
    await page.locator("h1").click();
    await card(page, run, second).waitFor();
    await page.keyboard.type("aaa");
    expect((await resolved(run)).map(([id]) => id)).toEqual([first]);
    await keysRested(page);
    await page.keyboard.press("a");
    await until(async () => (await resolved(run)).length === 2);
    expect((await resolved(run))[1]?.slice(0, 2)).toEqual([second, "allowed"]);
  });

  test("after an answer keys rest, and the focus is on the next request", async () => {
    const { run, ids } = await asking("@permissions 3", 3);
    const page = await world.page("/inbox");
    await card(page, run, ids[0] ?? "").waitFor();
    await keysRested(page);
    await page.keyboard.press("k");
    // One word in one go: its first letter answers, the others come while keys rest.
    await page.keyboard.type("aaaaaa");
    await card(page, run, ids[0] ?? "").waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.closest("[aria-current]") !== null)).toBe(true);
    expect(await resolved(run)).toEqual([[ids[0], "allowed", ""]]);
  });

  test("a button that has just moved under the pointer allows nothing", async () => {
    const { run, ids } = await asking("@permissions 3", 3);
    const [first = "", second = ""] = ids;
    const page = await world.page("/inbox");
    const allow = card(page, run, first).getByRole("button", { name: "Allow once" });
    await allow.hover();
    const aim = await allow.boundingBox();
    // What is pressed in the moment after the list moved, as the page itself sees it.
    await page.evaluate(() => {
      new MutationObserver((_, observer) => {
        observer.disconnect();
        const button = document.querySelectorAll<HTMLElement>("[data-do=allow]")[0];
        const at = button?.getBoundingClientRect();
        const where = {
          clientX: (at?.left ?? 0) + 4,
          clientY: (at?.top ?? 0) + 4,
          bubbles: true,
          button: 0,
          detail: 1,
        };
        button?.dispatchEvent(new PointerEvent("pointerdown", where));
        button?.dispatchEvent(new MouseEvent("click", where));
        document.body.dataset.pressed = button?.closest<HTMLElement>("[data-request]")?.dataset.request;
      }).observe(document.querySelector(".inbox") as Element, { childList: true });
    });
    await page.locator("h1").click(); // so that the first card is not held
    await page.keyboard.press("j");
    await elsewhere(run, first);
    await page.locator(`body[data-pressed="${run}/${second}"]`).waitFor();
    expect(aim).not.toBeNull();
    await card(page, run, second).getByText("It had just moved").waitFor();
    expect((await resolved(run)).map(([id]) => id)).toEqual([first]);
    await pressWhenSteady(card(page, run, second).getByRole("button", { name: "Allow once" }));
    await until(async () => (await resolved(run)).length === 2);
  });

  test("what a keycap shows is what it does", async () => {
    const { run } = await asking("@question Which one? | Red | Green", 1);
    const page = await world.page(`/runs/${run}`);
    const dock = page.getByRole("region", { name: "The agent waits for you" });
    await dock.getByRole("button", { name: "Green" }).waitFor();
    // Numbers are the tabs here.
    expect(await dock.locator("[data-choice] kbd").count()).toBe(0);
    await keysRested(page);
    await page.keyboard.press("d");
    await dock.getByLabel("Why not").fill("neither");
    expect(await resolved(run)).toEqual([]);
    await page.keyboard.press("Enter");
    await until(async () => (await resolved(run)).length === 1);
    expect((await resolved(run))[0]?.slice(1)).toEqual(["denied", "neither"]);
  });

  test("Enter on a button presses the button", async () => {
    const { run, ids } = await asking("@permissions 1", 1);
    const page = await world.page("/inbox");
    await card(page, run, ids[0] ?? "")
      .getByRole("button", { name: "Deny…" })
      .focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Why not").waitFor();
    expect(page.url()).toContain("/inbox");
  });

  test("single keys can be turned off, for good, and are listed", async () => {
    const { run, ids } = await asking("@permissions 1", 1);
    const page = await world.page("/inbox");
    const asked = card(page, run, ids[0] ?? "");
    await asked.locator("kbd").first().waitFor();
    await keysRested(page);
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keys" });
    await help.getByText("Allow once").waitFor();
    await help.getByLabel("Single keys").uncheck();
    await help.getByRole("button", { name: "Close" }).click();
    await page.reload();
    await asked.getByRole("button", { name: "Deny…" }).waitFor();
    expect(await asked.locator("kbd").count()).toBe(0);
    await keysRested(page);
    await page.keyboard.type("da?gb");
    expect(page.url()).toContain("/inbox");
    expect(await page.getByLabel("Why not").count()).toBe(0);
    expect(await resolved(run)).toEqual([]);
    await page.goto(`${world.server.url}/settings/page`);
    await page.getByLabel("Single keys").check();
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await asked.locator("kbd").first().waitFor();
  });

  const lines = Array.from({ length: 40 }, (_, i) => `line ${i + 1} of a file that is changed`);
  const sizes = { "a desk": [1440, 900], "a desk at 200 %": [720, 450], "a phone": [360, 640] } as const;
  test.each(Object.entries(sizes))("the ways to answer are in sight on %s", async (_, [width, height]) => {
    const edit = await asking(`@run cat <<END; ${lines.join("; ")}`, 1);
    const choices = Array.from({ length: 9 }, (_, i) => `A choice that takes its room, number ${i + 1}`);
    const question = await asking(`@question Which of these? | ${choices.join(" | ")}`, 1);
    const page = await world.page("/inbox", { viewport: { width, height } });
    const names = { [edit.run]: ["Allow once", "Deny…"], [question.run]: ["Don't answer…"] };
    const places = [
      ["/inbox", edit],
      ["/inbox", question],
      [`/runs/${edit.run}`, edit],
      [`/runs/${question.run}`, question],
    ] as const;
    for (const [path, { run, ids }] of places) {
      await page.goto(world.server.url + path);
      const asked = card(page, run, ids[0] ?? "");
      await asked.waitFor();
      if (path === "/inbox") {
        await keysRested(page);
        while ((await page.locator("[aria-current=true]").locator(asked).count()) === 0) await page.keyboard.press("j");
      }
      for (const name of names[run] ?? []) {
        const button = asked.getByRole("button", { name });
        await until(() => inSight(button));
      }
    }
  });

  test("what is cut is said, and must be shown before it is allowed", async () => {
    const { run, ids } = await asking(`@run echo ${"x".repeat(5000)}; echo the end of it`, 1);
    const page = await world.page("/inbox");
    const asked = card(page, run, ids[0] ?? "");
    const shown = asked.locator(".request-command");
    await shown.waitFor();
    expect(await shown.innerText()).toMatch(/^echo xxx[^]*echo the end of it$/);
    await asked
      .getByText(/characters are not shown/)
      .first()
      .waitFor();
    await keysRested(page);
    await page.keyboard.press("a");
    await pressWhenSteady(asked.getByRole("button", { name: "Allow once" }));
    await asked.getByRole("button", { name: "Allow always" }).dispatchEvent("click");
    await asked.getByText("Show all of it first").waitFor();
    expect(await resolved(run)).toEqual([]);
    await asked.getByRole("button", { name: "Show all" }).click();
    expect(await shown.innerText()).toContain("x".repeat(5000));
    await readToTheEnd(asked);
    await pressWhenSteady(asked.getByRole("button", { name: "Allow once" }));
    await until(async () => (await resolved(run)).length === 1);
    expect((await resolved(run))[0]?.[1]).toBe("allowed");
  });

  test("a diff that lies elsewhere is fetched whole, or not allowed", async () => {
    const { run, ids } = await asking(`@edit long.md ${"y".repeat(70_000)} the end of it`, 1);
    const page = await world.page(`/runs/${run}`);
    const asked = card(page, run, ids[0] ?? "");
    await page.route("**/blobs/**", (route) => route.abort());
    await asked.getByRole("button", { name: "Show all" }).click();
    await asked.getByText(/can't be shown/).waitFor();
    await pressWhenSteady(asked.getByRole("button", { name: "Allow once" }));
    await asked.getByText("Show all of it first").waitFor();
    expect(await resolved(run)).toEqual([]);
    await page.unroute("**/blobs/**");
    await asked.getByRole("button", { name: "Show all" }).click();
    await asked.getByText(/the end of it/).waitFor();
    await readToTheEnd(asked);
    await pressWhenSteady(asked.getByRole("button", { name: "Allow once" }));
    await until(async () => (await resolved(run)).length === 1);
  });
});
