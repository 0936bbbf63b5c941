import { afterEach, expect, test } from "vitest";
import { until } from "../support/cox.ts";
import { inBrowser } from "./page.ts";

inBrowser("at a glance", (world) => {
  afterEach(async ({ task }) => {
    await world.endPages(task.result?.state === "fail");
    await world.server.endRuns();
    expect(world.complaints.splice(0)).toEqual([]);
  });

  const ended = (run: string) =>
    until(async () => (await world.server.api.call("GET /runs/{run}", { params: { run } })).phase === "closed");

  test("the button for dark colours follows the system, and so does the command bar", async () => {
    const page = await world.page("/", { colorScheme: "light" });
    await page.getByRole("button", { name: "Dark colours" }).waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.getByRole("button", { name: "Light colours" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("colours");
    await page.getByRole("option", { name: "Light colours" }).waitFor();
  });

  test("a card says how much changed, and how it ended", async () => {
    const wishes = { permissions: "allow", mode: "batch" } as const;
    const done = await world.server.run("Change a file\n@edit lines.md one", wishes);
    const crashed = await world.server.run("Crash on the way\n@crash 9", wishes);
    await Promise.all([ended(done), ended(crashed)]);
    const page = await world.page();
    const card = (title: string) => page.locator(".card", { hasText: title });
    await card("Change a file").locator(".diff-stat", { hasText: "+1 −0" }).waitFor();
    await card("Crash on the way").getByText("the agent exited with code 9").waitFor();
    expect(await card("Crash on the way").locator(".diff-stat").count()).toBe(0);

    await card("Crash on the way").getByRole("link").click();
    await page.locator(".session-head").getByText("Failed").waitFor();
    await page.keyboard.press("4");
    await page.locator(".run-tree").getByText("Failed").waitFor();
  });

  test("a filter that nothing fits says so", async () => {
    await world.server.run("Something to find", { mode: "batch" });
    for (const view of ["board", "list"]) {
      const page = await world.page(`/?view=${view}&q=nothing-like-it`);
      await page.getByText("No task fits the filter").waitFor();
      await page.getByRole("button", { name: /^Show all \d+ task/ }).click();
      await page.getByRole("link", { name: "Something to find" }).waitFor();
    }
  });

  test("a question is seen once, and is still what its field is called", async () => {
    const run = await world.server.run("@question What shall it be called?");
    const page = await world.page(`/runs/${run}`);
    const asks = page.getByRole("region", { name: "The agent waits for you" });
    await asks.getByRole("textbox", { name: "What shall it be called?" }).waitFor();
    const boxes = await asks.getByText("What shall it be called?").all();
    const widths = await Promise.all(boxes.map(async (box) => (await box.boundingBox())?.width ?? 0));
    expect(widths.filter((width) => width > 2)).toHaveLength(1);
  });

  test("the end of the conversation stays in sight when a draft grows, and whoever reads above is left alone", async () => {
    const run = await world.server.run("@burst 4000\n@say The last line.");
    const page = await world.page(`/runs/${run}`);
    await page.locator(".row-message").getByText("The last line.").waitFor();
    const toEnd = () =>
      page.locator(".transcript").evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);
    const draft = page.getByRole("combobox", { name: "Prompt" });
    await draft.fill("many\n".repeat(9));
    await until(async () => (await toEnd()) < 2);
    expect(await page.getByRole("button", { name: "To the end" }).count()).toBe(0);

    await page.locator(".transcript").evaluate((box) => box.scrollBy(0, -400));
    await page.getByRole("button", { name: "To the end" }).waitFor();
    const before = await page.locator(".transcript").evaluate((box) => box.scrollTop);
    await draft.fill("one");
    await until(async () => ((await draft.boundingBox())?.height ?? 0) < 60);
    expect(await page.locator(".transcript").evaluate((box) => box.scrollTop)).toBe(before);
  });

  test("what is too short to be scrolled is shown from its beginning; who refuses that is asked once", async () => {
    const run = await world.server.run("@burst 900");
    await until(async () => (await world.server.api.call("GET /runs/{run}", { params: { run } })).phase === "idle");
    const page = await world.page(`/runs/${run}`);
    await page.locator(".row-user").getByText("@burst 900").waitFor();

    const refusing = await world.page();
    let asked = 0;
    await refusing.route(/\/events\?.*before=/, (route) => {
      asked += 1;
      return route.fulfill({ status: 500 });
    });
    const refused = refusing.waitForResponse(/\/events\?.*before=/);
    await refusing.goto(`${world.server.url}/runs/${run}`);
    await refused;
    await refusing.getByRole("combobox", { name: "Prompt" }).fill("still here");
    expect(asked).toBe(1);
  });

  test("addresses that lead nowhere say so, and lead back", async () => {
    for (const [path, says] of [
      ["/runs/nonsense", "There is no run nonsense."],
      ["/nonsense", "There is no such page"],
    ] as const) {
      const page = await world.page(path);
      await page.getByText(says).waitFor();
      await page.locator("main").getByRole("link", { name: /board/ }).click();
      await page.getByRole("heading", { name: "Board" }).waitFor();
    }
  });

  test("a number is one line: Enter jumps there", async () => {
    const run = await world.server.run("@say one\n@say two");
    const page = await world.page(`/runs/${run}`);
    await page.getByText("Your turn").waitFor();
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("button", { name: "Jump to an event…" }).click();
    await page.keyboard.type("2");
    await page.keyboard.press("Enter");
    await page.waitForURL(/event=2$/);
  });
});
