import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { formatCount } from "../../src/contract/words/figures.ts";
import { until } from "../support/cox.ts";
import { pressWhenSteady } from "./answering.ts";
import type { BrowserWorld } from "./page.ts";

/** An agent as the checklist sees it: how the page calls it, and what to say so that it does a thing. */
export interface Checked {
  /** Its name on the Agents screen. */
  name: string;
  version: string;
  /** Under which it is started; without one it is its own. */
  profile?: string;
  /** The model that its own profile names, if it names one. */
  defaultModel: string;
  /** The one it begins with, and another. */
  models: readonly [Model, Model];
  say: {
    hello: string;
    /** Says "tick 1 tick 2 …" slowly. */
    slow: string;
    /** Runs a shell command that needs permission. */
    shell(command: string): string;
    remember(word: string): string;
    /** Answers with everything the person said before. */
    recall: string;
    model: string;
    /** The model's server refuses the key. */
    trouble: string;
  };
  /** What fills its window after `hello`, as its model's server counted. */
  context: number;
}

export interface Model {
  /** As its agent offers it. */
  choice: string;
  /** As its server knows it. */
  id: string;
}

let times = 0;

/** All that is to be seen of an agent before it may be called integrated: fourteen points, in the order of a person's day. */
export async function checklist(world: BrowserWorld, agent: Checked): Promise<void> {
  const { say } = agent;
  times += 1; // what is tried again meets nothing of what it left
  const title = `Checklist ${times}`;
  const file = `made-${times}.txt`;
  // So high that nothing said is out of sight, and turns can be counted.
  const page = await world.page("/agents", { viewport: { width: 1280, height: 4000 } });
  page.setDefaultTimeout(60_000); // a real agent takes its time
  const { workspace } = world.server.scene;
  const prompt = page.getByRole("combobox", { name: "Prompt" });
  const tell = async (text: string) => {
    await prompt.fill(text);
    await prompt.press("Enter");
  };
  const said = page.locator(".row-message");
  const idle = page.locator(".session-head").getByText("Your turn");
  const ends = page.locator(".row-end");
  /** Says it and waits for the end of the turn. */
  const turn = async (text: string) => {
    const before = await ends.count();
    await tell(text);
    await ends.nth(before).waitFor();
    await idle.waitFor();
  };

  // Listed when installed.
  const panel = page.getByRole("region", { name: agent.name, exact: true });
  await panel.getByText("Installed", { exact: true }).waitFor();
  await panel.getByText(agent.version).first().waitFor();

  // Default profile with the right model.
  if (agent.defaultModel !== "") await panel.getByText(agent.defaultModel).waitFor();
  await panel.getByRole("button", { name: "New task" }).click();
  const dialog = page.getByRole("dialog", { name: "New task" });
  const model = dialog.getByLabel("Model");
  const byDefault = agent.defaultModel === "" ? "Default" : `${agent.defaultModel} (default)`;
  expect(await model.locator("option:checked").innerText()).toBe(byDefault);

  // Start.
  await dialog.getByLabel("What is to be done?").fill(say.slow);
  await dialog.getByLabel("Folder", { exact: true }).fill(workspace);
  await dialog.getByText("More", { exact: true }).click();
  await dialog.getByLabel("Title").fill(title);
  if (agent.profile !== undefined) await dialog.getByLabel("Profile").selectOption(agent.profile);
  await dialog.getByRole("button", { name: "Start now" }).click();

  // Live text, while the turn goes on; and in progress for as long as it does.
  await said.getByText(/tick 1 /).waitFor();
  const early = await said.first().innerText();
  await until(async () => (await said.first().innerText()).length > early.length);
  await page.locator(".session-head").getByText("Working").waitFor();
  const address = page.url();
  await onBoard(world, page, "working", title);
  await page.goto(address);
  await page.getByRole("button", { name: "Interrupt" }).click();
  await idle.waitFor();

  // Permission, tool titles and tool results.
  await tell(say.shell(`touch ${file} && expr 40 + 2`));
  const asked = page.getByRole("region", { name: "The agent waits for you" });
  await asked.locator(".request-command").getByText(`touch ${file}`).waitFor();
  const tool = page.locator(".row-tool", { hasText: `touch ${file}` });
  await tool.waitFor();
  await page.locator(".session-head").getByText("Waits for you").waitFor();
  expect(existsSync(join(workspace, file))).toBe(false);
  await pressWhenSteady(asked.getByRole("button", { name: "Allow once" }));
  await tool.getByRole("img", { name: "done" }).waitFor();
  await idle.waitFor();
  expect(existsSync(join(workspace, file))).toBe(true);
  await tool.locator(".fold").first().click();
  await tool
    .getByLabel(/^(Output|Result)$/)
    .getByText(/^42$/m)
    .waitFor();

  // Review when done.
  await onBoard(world, page, "review", title);
  await page.goto(address);
  await ends.nth(1).waitFor(); // both turns so far

  // The window, as counted; and the follow-up in the same session.
  await turn(say.hello);
  const ring = await page.getByRole("img", { name: /^Context window/ }).getAttribute("aria-label");
  expect(ring).toContain(`: ${formatCount(agent.context)} of `);
  await turn(say.remember("xylophone"));
  await turn(say.recall);
  expect(await said.last().innerText()).toContain("xylophone");
  expect(page.url()).toBe(address);

  // Model switch.
  const [from, to] = agent.models;
  const chosen = page.getByRole("combobox", { name: "Model" });
  await expectModel(chosen, from);
  await turn(say.model);
  expect(await said.last().innerText()).toContain(from.id);
  await chosen.selectOption(to.choice);
  await turn(say.model);
  await expectModel(chosen, to);
  expect(await said.last().innerText()).toContain(to.id);

  // Errors.
  await turn(say.trouble);
  await page.getByRole("alert").getByText("Not logged in").waitFor();
  await page.getByRole("alert").getByText("What to do:").waitFor();

  // Resume after it was stopped.
  await page.getByRole("button", { name: "End", exact: true }).click();
  await page.getByRole("button", { name: "End it" }).click();
  await page.getByText("Session ended").waitFor();
  await tell(say.recall);
  await page.waitForURL((url) => url.href !== address);
  await said.getByText(/xylophone/).waitFor();
  await idle.waitFor();
  await expectModel(chosen, to);
}

const expectModel = (chosen: Locator, { choice }: Model) => until(async () => (await chosen.inputValue()) === choice);

async function onBoard(world: BrowserWorld, page: Page, column: string, title: string): Promise<void> {
  await page.goto(`${world.server.url}/`);
  await page.locator(`[data-column=${column}]`).getByText(title).waitFor();
}
