import { afterEach, expect, test } from "vitest";
import { until } from "../support/cox.ts";
import { BUSY_TURN, goOn, keysRested, pressWhenSteady } from "./answering.ts";
import { inBrowser } from "./page.ts";

inBrowser("a session in the browser", (world) => {
  afterEach(async ({ task }) => {
    await world.endPages(task.result?.state === "fail");
    await world.server.endRuns();
    expect(world.complaints.splice(0)).toEqual([]);
  });

  test("is started, streams, asks, is allowed, and goes on", async () => {
    const page = await world.page();
    await page.keyboard.press("n");
    await page.getByLabel("What is to be done?").fill("@say I will write.\n@edit note.md hello\n@say It is written.");
    await page.getByLabel("Folder", { exact: true }).fill(world.server.scene.workspace);
    await page.getByRole("button", { name: "Start now" }).click();
    await page.getByText("I will write.", { exact: true }).waitFor();
    await page.getByRole("region", { name: "The agent waits for you" }).getByText("hello").waitFor();
    await until(async () => (await page.title()).startsWith("(1) "));
    await page.locator('link[rel=icon][href="/icon-1.svg"]').waitFor({ state: "attached" });
    await pressWhenSteady(page.getByRole("button", { name: "Allow once" }));
    await page.getByText("It is written.", { exact: true }).waitFor();
    await page.getByText("Your turn").waitFor();

    await page.getByRole("combobox", { name: "Prompt" }).fill("@memory");
    await page.keyboard.press("Enter");
    await page.getByText("Earlier you said:").waitFor();
  });

  test("a denial with a reason reaches the agent", async () => {
    const run = await world.server.run("@edit secret.md no\n@say over");
    const page = await world.page(`/runs/${run}`);
    await page.getByRole("button", { name: "Deny…" }).click();
    await page.getByLabel("Why not").fill("not in this folder");
    await page.keyboard.press("Enter");
    await page.getByText("over", { exact: true }).waitFor();
    await page.locator(".row-request").getByText("denied").waitFor();
    await page.locator(".row-request").getByText("not in this folder").waitFor();
  });

  test("a question is answered from the inbox by a key", async () => {
    const run = await world.server.run("@question Which one? | Red | Green");
    const page = await world.page("/inbox");
    const item = page.locator(`[data-request^="${run}"]`);
    await item.getByText("Which one?").first().waitFor();
    await keysRested(page);
    await page.keyboard.press("2");
    await page.getByText("Nobody waits for you").waitFor();
    await page.goto(`${world.server.url}/runs/${run}`);
    await page.locator(".row-message").getByText("Green").waitFor();
  });

  test("an interrupt ends the turn, and a stopped session is resumed by a prompt", async () => {
    const run = await world.server.run("@slow 5000 100");
    const page = await world.page(`/runs/${run}`);
    await page.getByText("tick 3").waitFor();
    await page.getByRole("button", { name: "Interrupt" }).click();
    await page.locator(".row-end.interrupted").waitFor();
    await page.getByRole("button", { name: "End", exact: true }).click();
    await page.getByRole("button", { name: "End it" }).click();
    await page.getByText("Session ended").waitFor();
    await page.getByRole("combobox", { name: "Prompt" }).fill("@memory");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("Earlier you said:").waitFor();
    expect(page.url()).not.toContain(run);
  });

  test("a prompt is queued while it works, edited, and sent in its turn", async () => {
    const run = await world.server.run(BUSY_TURN);
    const page = await world.page(`/runs/${run}`);
    await page.locator(".row-message").getByText("tick 1").waitFor();
    await page.getByRole("combobox", { name: "Prompt" }).fill("@say first thought");
    await page.keyboard.press("Enter");
    const queue = page.getByRole("list", { name: "Prompts that wait" });
    await queue.getByText("first thought").waitFor();
    await queue.getByRole("button", { name: "Edit" }).click();
    await queue.getByRole("textbox", { name: "Prompt" }).fill("@say second thought");
    await queue.getByRole("button", { name: "Keep" }).click();
    await queue.getByRole("button", { name: "Edit" }).waitFor();
    await goOn(world, run);
    await page.locator(".row-message").getByText("second thought").waitFor();
    await queue.waitFor({ state: "detached" });
  });

  test("a reload in mid-stream misses and repeats nothing; a draft survives it", async () => {
    const run = await world.server.run("@slow 60 60\n@say finished");
    const page = await world.page(`/runs/${run}`);
    await page.getByText("tick 5").waitFor();
    await page.getByRole("combobox", { name: "Prompt" }).fill("half a thought");
    await page.reload();
    await page.locator(".row-message").getByText("finished").waitFor();
    const said = await page.locator(".row-message").first().innerText();
    expect(said.match(/tick \d+/g)).toEqual(Array.from({ length: 60 }, (_, i) => `tick ${i + 1}`));
    expect(await page.getByRole("combobox", { name: "Prompt" }).inputValue()).toBe("half a thought");
  });

  test("the server restarts in mid-stream: the page says so, reconnects and catches up", async () => {
    const run = await world.server.run("@slow 80 60\n@say finished");
    const page = await world.page(`/runs/${run}`);
    await page.getByText("tick 5").waitFor();
    await world.server.stop();
    await page.getByText(/No connection for/).waitFor();
    await world.server.start();
    await page.locator(".row-message").getByText("finished").waitFor();
    await page.getByText(/No connection for/).waitFor({ state: "detached" });
    const said = await page.locator(".row-message").first().innerText();
    expect(said.match(/tick \d+/g)).toHaveLength(80);
  });

  test("a prompt sent while the server is away is kept and sent again", async () => {
    const run = await world.server.run("@say ready");
    const page = await world.page(`/runs/${run}`);
    await page.getByText("Your turn").waitFor();
    await world.server.stop();
    await page.getByRole("combobox", { name: "Prompt" }).fill("@say not lost");
    await page.keyboard.press("Enter");
    await page.getByText("Not sent:").waitFor();
    await page.getByRole("button", { name: "Send again", exact: true }).waitFor();
    await world.server.start();
    await page.getByRole("button", { name: "Send again", exact: true }).click();
    await page.locator(".row-message").getByText("not lost").waitFor();
    await until(async () => (await page.getByRole("list", { name: "Prompts that wait" }).count()) === 0);
  });

  test("two tabs answer at once: one is taken, the other is told", async () => {
    const run = await world.server.run("@permission Shall I?\n@say answered");
    const context = await world.context();
    const first = await world.tab(context);
    await first.goto(await world.server.link());
    await first.getByRole("navigation", { name: "Main" }).waitFor();
    const second = await world.tab(context);
    for (const page of [first, second]) {
      await page.goto(`${world.server.url}/runs/${run}`);
      await page.getByRole("button", { name: "Allow once" }).waitFor();
    }
    const answers = [first, second].map((page) =>
      page.waitForResponse((response) => response.url().includes("/requests/")).then((response) => response.status()),
    );
    // Not by mouse: a tab in the background holds still only for so long.
    await Promise.all([first, second].map((page) => page.locator("[data-do=allow]").dispatchEvent("click")));
    expect(new Set(await Promise.all(answers))).toEqual(new Set([204, 409]));
    for (const page of [first, second]) await page.locator(".row-message").getByText("answered").waitFor();
    const { events } = await world.server.api.call("GET /runs/{run}/events", { params: { run } });
    expect(events.filter(({ type }) => type === "request_resolved")).toHaveLength(1);
  });

  test("tabs share one stream of news; when its tab is closed another takes over", async () => {
    const context = await world.context();
    const first = await world.tab(context);
    await first.goto(await world.server.link());
    await first.getByRole("navigation", { name: "Main" }).waitFor();
    const second = await world.tab(context);
    await second.goto(`${world.server.url}/inbox`);
    await second.getByRole("heading", { name: /Inbox/ }).waitFor();
    const streams = async () => (await world.server.api.call("GET /health")).stream_clients;
    await until(async () => (await streams()) === 1);
    const heard = await world.server.run("@permission Heard by the first?");
    await second.locator(`[data-request^="${heard}"]`).waitFor();
    await first.close();
    const taken = await world.server.run("@permission Heard by the second?");
    await second.locator(`[data-request^="${taken}"]`).waitFor();
  });

  test("what is asked while the page opens is not missed", async () => {
    const page = await world.page();
    let run = "";
    // The answer about the inbox is on its way, the stream of news is not open yet: just then an agent asks.
    await page.route("**/api/v1/inbox", async (route) => {
      const answer = await route.fetch();
      if (run === "") run = await world.server.run("@permission In between?");
      await until(
        async () => (await world.server.api.call("GET /runs/{run}", { params: { run } })).phase === "waiting",
      );
      await route.fulfill({ response: answer });
    });
    await page.route("**/api/v1/stream?**", async (route) => {
      await until(
        async () =>
          run !== "" && (await world.server.api.call("GET /inbox")).items.some(({ run_id }) => run_id === run),
      );
      await route.continue();
    });
    await page.goto(`${world.server.url}/inbox`);
    await page.locator(`[data-request*="${(await until(() => run)) ?? ""}"]`).waitFor();
    // What is asked again meanwhile is still on its way when the page is closed.
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });
});
