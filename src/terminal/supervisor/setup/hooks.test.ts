import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { testPlace } from "../test-place.ts";
import { defaultHooks, hooksFrom } from "./hooks.ts";
import { hooks } from "./hooks-step.ts";

const read = (place: ReturnType<typeof testPlace>) =>
  JSON.parse(readFileSync(join(place.settings.workspace, ".claude/settings.json"), "utf8"));
const one = (command: string) => ({ matcher: "", hooks: [{ type: "command", command }] });

describe("hooks", () => {
  test("the usual ones call us", async () => {
    const place = testPlace();
    await hooks.run(place);
    expect(Object.keys(read(place).hooks)).toEqual(["SessionStart", "PreCompact", "UserPromptSubmit", "Stop"]);
    expect(read(place).hooks.Stop).toEqual([one("cox hook stop-gate")]);
    await hooks.run(place);
    expect(read(place)).toEqual(defaultHooks()); // not piled up
  });

  test("those for everybody and those of the role, merged", async () => {
    const place = testPlace({ BOAT_ROLE: "crew" });
    mkdirSync(place.settings.hooksFolder);
    const write = (name: string, value: object) =>
      writeFileSync(join(place.settings.hooksFolder, `${name}.json`), JSON.stringify(value));
    write("global", { hooks: { Stop: [one("a")], PreCompact: [one("b")] } });
    write("crew", { hooks: { Stop: [one("c")] }, model: "opus" });
    await hooks.run(place);
    expect(read(place)).toEqual({ hooks: { Stop: [one("a"), one("c")], PreCompact: [one("b")] }, model: "opus" });
  });

  test("what the workspace's own settings say stays", async () => {
    const place = testPlace();
    mkdirSync(join(place.settings.workspace, ".claude"));
    writeFileSync(join(place.settings.workspace, ".claude/settings.json"), '{"env":{"A":"1"},"hooks":{"Stop":[]}}');
    await hooks.run(place);
    expect(read(place)).toMatchObject({ env: { A: "1" }, hooks: { Stop: [one("cox hook stop-gate")] } });
  });

  test("from the daemon, where no folder has any", async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      const global = request.url?.endsWith("global");
      response
        .writeHead(global ? 200 : 404)
        .end(global ? JSON.stringify({ value: { hooks: { Stop: [one("d")] } } }) : "{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const place = testPlace({
      BOAT_ROLE: "crew",
      BEADS_DAEMON_HOST: "127.0.0.1",
      BEADS_DAEMON_HTTP_PORT: String(port),
    });
    await hooks.run(place);
    expect(read(place)).toEqual({ hooks: { Stop: [one("d")] } });
    expect(asked).toEqual(["/v1/configs/claude-hooks%3Aglobal", "/v1/configs/claude-hooks%3Acrew"]);
  });

  test("the usual ones, where the daemon can't be reached, and why is said", async () => {
    const place = testPlace({ BOAT_ROLE: "crew", BEADS_DAEMON_HOST: "127.0.0.1", BEADS_DAEMON_HTTP_PORT: "1" });
    const { note } = await hooks.run(place);
    expect(read(place)).toEqual(defaultHooks());
    expect(note).toContain("the usual ones, because the daemon could not be asked: ");
  });

  test("of the role alone", () => {
    expect(hooksFrom({ global: undefined, role: { hooks: {} } })).toEqual({ hooks: {} });
  });
});
