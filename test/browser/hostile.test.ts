import { afterEach, expect, test } from "vitest";
import type { AgentEvent } from "../../src/contract/events.ts";
import { importRun } from "./made-run.ts";
import { inBrowser, metricsOf } from "./page.ts";

const turn = "t";
const said = (text: string, messageId = "m"): AgentEvent => ({ type: "message_chunk", turn, messageId, text });
const begun: AgentEvent = { type: "turn_started", turn };

/** Everything an agent says is a stranger's text. */
inBrowser("hostile text", (world) => {
  const foreign: string[] = [];
  afterEach(async ({ task }) => {
    await world.endPages(task.result?.state === "fail");
    expect(world.complaints.splice(0)).toEqual([]);
    expect(foreign.splice(0)).toEqual([]);
  });

  const shown = async (...events: AgentEvent[]) => {
    const run = await importRun(world.server, `hostile-${count++}`, [begun, ...events]);
    const page = await world.page();
    page.on("request", (request) => {
      if (!request.url().startsWith(world.server.url)) foreign.push(request.url());
    });
    await page.goto(`${world.server.url}/runs/${run}`);
    await page.getByText("Session ended: done").waitFor();
    return page;
  };
  let count = 0;

  test("script and HTML are text", async () => {
    const html = `<script>window.hit = 1</script><img src=x onerror="window.hit = 1"><b onclick="1">bold</b>`;
    const page = await shown(said(`Before\n\n${html}\n\ninline ${html} after`));
    expect(await page.evaluate("window.hit")).toBeUndefined();
    const message = page.locator(".row-message");
    expect(await message.locator("script, img, b").count()).toBe(0);
    expect(await message.innerText()).toContain("<script>window.hit = 1</script>");
  });

  test("links lead only to where links may", async () => {
    const bad = [
      "javascript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
      " JaVaScRiPt:alert(1)",
      "//evil.example",
      "/api/v1/logout",
    ];
    const text = [...bad, "https://good.example/a", "mailto:ada@example.com"]
      .map((href, i) => `- [link ${i}](<${href}>)`)
      .join("\n");
    const page = await shown(said(text));
    await page.getByText("link 0").waitFor();
    const links = page.locator(".row-message a");
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual([
      "https://good.example/a",
      "mailto:ada@example.com",
    ]);
    expect(await links.first().getAttribute("rel")).toContain("noopener");
  });

  test("pictures elsewhere are named, not fetched", async () => {
    const page = await shown(said("![tracker](https://evil.example/pixel.png) ![x](data:image/png;base64,AAAA)"));
    await page.getByText("[image: tracker]").waitFor();
    expect(await page.locator(".row-message img").count()).toBe(0);
  });

  test("what a terminal would obey is coloured or taken out", async () => {
    const output = "\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b[2J\u001b[1;1Hplain\u0000\b";
    const tool: AgentEvent = {
      type: "tool_call",
      turn,
      toolCallId: "c",
      toolName: "Bash",
      toolTitle: "ls \u001b[2J",
      kind: "execute",
      toolStatus: "completed",
    };
    const page = await shown(
      tool,
      { type: "tool_update", turn, toolCallId: "c", outputChunk: output },
      said("an \u001b[31mescape\u001b[0m"),
    );
    await page.locator(".row-tool .fold").click();
    const printed = page.getByLabel("Output");
    expect(await printed.innerText()).toBe("red plain");
    expect(await printed.locator(".ansi-1").innerText()).toBe("red");
    expect(await page.locator(".row-message").innerText()).toBe("an escape");
  });

  test("a turned writing direction is visible", async () => {
    const page = await shown(said("user\u202e gpj.exe"));
    expect(await page.locator(".row-message").innerText()).toBe("user\ufffd gpj.exe");
  });

  test("in what a person approves everything is spelled out", async () => {
    const run = await world.server.run(`@run echo safe \u202e evil`);
    const page = await world.page(`/runs/${run}`);
    const command = page.locator(".request-command");
    await command.waitFor();
    expect(await command.innerText()).toContain("\\u{202e}");
    await page.getByRole("button", { name: "Deny…" }).click();
    await page.keyboard.press("Enter");
    await page.getByText("Your turn").waitFor();
  });

  test("a word of five megabytes is cut, and shown on demand", async () => {
    const page = await shown(said(`Look: ${"x".repeat(5 * 1024 * 1024)} there`), said("and after", "m2"));
    await page.getByText("and after").waitFor();
    const more = page.getByRole("button", { name: /more of this word/ });
    await more.waitFor();
    expect(await page.evaluate("document.body.textContent.length")).toBeLessThan(50_000);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    await more.click();
    await more.waitFor({ state: "detached" });
    expect(await page.evaluate("document.body.textContent.length")).toBeLessThan(400_000);
    const { JSHeapUsedSize = 0 } = await metricsOf(page);
    expect(JSHeapUsedSize / 1024 / 1024).toBeLessThan(150);
  });

  test("markdown that is nested without end is shown, not obeyed", async () => {
    const page = await shown(
      said(`${"> ".repeat(3000)}deep\n\n${"[".repeat(5000)}\n\n${"- ".repeat(500)}x`),
      said("still here", "m2"),
    );
    await page.getByText("still here").waitFor();
  });
});
