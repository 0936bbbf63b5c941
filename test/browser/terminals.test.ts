import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { root, until } from "../support/cox.ts";
import { ask, type HostedTerminal, startTerminal } from "../support/terminal-host.ts";
import { expectCalm } from "./calm.ts";
import { inBrowser } from "./page.ts";

inBrowser(
  "terminals of the hub",
  (world) => {
    afterEach(async ({ task }) => {
      await world.endPages(task.result?.state === "fail");
      expect(world.complaints.splice(0)).toEqual([]);
    });

    /** A terminal host of its own that told the hub where it is. */
    const registered = async (id: string, command: readonly string[], flags: readonly string[] = []) => {
      const { scene, said } = world.server;
      const hub = await until(() => /"hub":"([^"]+)"/.exec(said())?.[1]);
      const token = readFileSync(join(scene.home, "hub-token"), "utf8").trim();
      const size = ["--port", "0", "--cols", "100", "--rows", "30", ...flags];
      const host = await startTerminal({ cwd: scene.workspace, env: scene.env, flags: size, command }, onTestFinished);
      const body = { id, url: host.url, auth_token: host.token, metadata: { role: "worker", agent: "test" } };
      expect((await ask(hub, "POST", "/api/v1/sessions", { token, body })).status).toBe(200);
      const leave = async () => void (await ask(hub, "DELETE", `/api/v1/sessions/${id}`, { token }));
      onTestFinished(leave);
      return Object.assign(host, { leave });
    };
    const claude = [process.execPath, join(root, "test/fakes/tui-claude.mjs")];
    const drawn = (page: Page) => page.getByLabel("Terminal left").locator(".xterm-rows");

    test("appear as tiles, with what they show and their state, and leave", async () => {
      const page = await world.page("/terminals");
      await page.getByText("No terminal is registered").waitFor();
      const left = await registered("left", ["sh", "-c", "echo it begins; exec cat"]);
      await registered("right", claude, ["--agent", "claude"]);
      const tile = (id: string) => page.locator(`[data-terminal=${id}]`);
      await tile("left").getByText("it begins").waitFor();
      await tile("right").getByText("Idle", { exact: true }).waitFor();
      await tile("right").getByText("? for shortcuts").waitFor();
      await tile("left").getByText("worker · test").waitFor();

      await left.post("/api/v1/input", { text: "and goes on", enter: true });
      await tile("left").getByText("and goes on").waitFor();
      await expectCalm(page, "terminals");
      await left.post("/api/v1/input/keys", { keys: ["Ctrl-D"] });
      await tile("left").getByText("Exited").waitFor();
      await left.leave();
      await tile("left").waitFor({ state: "detached" });
      expect(await tile("right").count()).toBe(1);
    });

    test("are attached to: watched first, typed into when that is wished", async () => {
      const left = await registered("left", ["sh", "-c", "echo before anybody looked; exec cat"]);
      await left.shows(/before anybody/);
      const page = await world.page("/terminals");
      await page.getByRole("link", { name: "left" }).click();
      await drawn(page).getByText("before anybody looked").waitFor();

      await page.locator(".xterm-screen").click();
      await page.keyboard.type("unheard");
      await left.post("/api/v1/input", { text: "from elsewhere", enter: true });
      await drawn(page).getByText("from elsewhere").first().waitFor();
      expect(await drawn(page).innerText()).not.toContain("unheard");
      expect(await writtenTo(left)).toBe("from elsewhere\r".length);

      await page.getByLabel("Type into it").check();
      await page.keyboard.type("heard");
      await drawn(page).getByText("heard", { exact: true }).waitFor();
      await page.keyboard.press("Enter");
      await left.shows(/^heard\nheard$/m);
      await until(async () => (await drawn(page).innerText()).match(/heard/g)?.length === 2);
      await expectCalm(page, "terminal");

      await page.getByLabel("Type into it").uncheck();
      await page.locator(".xterm-screen").click();
      await page.keyboard.type("not again");
      await left.post("/api/v1/resize", { cols: 60, rows: 10 });
      await until(async () => (await drawn(page).locator("> div").count()) === 10);
      expect(await left.shows(/heard/)).not.toContain("not again");
    });

    test("say when their program ends, and when their host is gone", async () => {
      const left = await registered("left", ["sh", "-c", "echo short; read line; exit 3"]);
      const page = await world.page("/terminals/left");
      await drawn(page).getByText("short").waitFor();
      await left.post("/api/v1/input", { text: "", enter: true });
      await page.getByText("Exited").waitFor();
      await left.stop();
      await page.getByText("The line to this terminal is closed.").waitFor();
      await page.getByRole("button", { name: "Connect again" }).click();
      await page.getByText("The line to this terminal is closed.").waitFor();
    });
  },
  () => ({ args: ["--hub"], env: { COOP_MUX_PORT: "0" } }),
);

const writtenTo = async (host: HostedTerminal): Promise<number> =>
  (await host.get("/api/v1/status")).json.bytes_written;
