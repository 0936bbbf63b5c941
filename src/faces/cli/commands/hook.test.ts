import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import setup from "../../../app/commands/setup.ts";
import { type CommandSpec, runCommand } from "../../../lib/command/command.ts";
import { testContext } from "../testing/test-context.ts";
import bus from "./bus.ts";
import { type GateView, reasonToGoOn } from "./hook/stop-gate.ts";
import hook from "./hook.ts";

function desk() {
  const folder = temporaryFolder();
  const env = {
    HOME: folder,
    COX_HOME: join(folder, "cox"),
    XDG_STATE_HOME: join(folder, "state"),
    BOAT_PROJECT: "web",
    BOAT_ROLE: "crew",
  };
  const run = async (command: CommandSpec, args: string[], stdin = "") => {
    const context = testContext({ env, cwd: folder, stdin });
    const code = await runCommand(command, args, context);
    return { code, out: context.out(), err: context.err() };
  };
  return {
    folder,
    env,
    post: (text: string) => run(bus, ["post", "--project", "web", text]),
    hook: (verb: string, stdin = "{}") => run(hook, [verb], stdin),
    setup: (...args: string[]) => run(setup, ["claude", ...args]),
    leave(name: string, text: string) {
      mkdirSync(join(folder, "state/queue"), { recursive: true });
      writeFileSync(join(folder, "state/queue", name), text);
    },
  };
}

describe("hooks", () => {
  test("prime says who the agent is, and what waits", async () => {
    const { post, hook } = desk();
    await post("hello");
    const { out, code } = await hook("prime");
    expect(code).toBe(0);
    expect(out).toMatch(/^role: crew\nproject: web\nfolder: .*\nunread: 1 message\n$/);
  });

  test("mail is shown once, and new mail again", async () => {
    const { post, hook } = desk();
    expect((await hook("check-mail")).out).toBe("");
    await post("the first");
    await post("the second");
    expect((await hook("check-mail")).out).toMatch(/the first\n.*the second\n$/s);
    expect((await hook("check-mail")).out).toBe("");
    await post("the third");
    expect((await hook("check-mail")).out).not.toContain("the second");
  });

  test("notes are taken in order, each once, and nothing in them moves a terminal", async () => {
    const { leave, hook } = desk();
    leave("2", "later\n");
    leave("1", "first \u001b[2Jnote");
    expect((await hook("drain-queue")).out).toBe("first note\nlater\n");
    expect((await hook("drain-queue")).out).toBe("");
  });

  test("the gate keeps an agent from stopping while something waits, once", async () => {
    const { post, hook, folder } = desk();
    expect((await hook("stop-gate")).code).toBe(0);
    await post("wait");
    const kept = await hook("stop-gate");
    expect(kept).toMatchObject({ code: 2, err: expect.stringContaining("`cox hook check-mail`") });
    expect((await hook("stop-gate", '{"stop_hook_active":true}')).code).toBe(0);
    mkdirSync(join(folder, "state"), { recursive: true });
    writeFileSync(join(folder, "state/stop-requested"), "");
    expect((await hook("stop-gate")).code).toBe(0);
  });

  test.each<[Partial<GateView>, RegExp | undefined]>([
    [{}, undefined],
    [{ unread: 1 }, /1 message came/],
    [{ notes: 2 }, /2 notes came.*drain-queue/],
    [{ unread: 1, notes: 1 }, /1 message and 1 note/],
    [{ unread: 1, stopRequested: true }, undefined],
    [{ notes: 1, stopHookActive: true }, undefined],
  ])("the gate on %j", (view, reason) => {
    const usual = { stopHookActive: false, stopRequested: false, unread: 0, notes: 0 };
    const why = reasonToGoOn({ ...usual, ...view });
    if (reason === undefined) expect(why).toBeUndefined();
    else expect(why).toMatch(reason);
  });

  test("our own trouble never keeps an agent from stopping", async () => {
    const { env, hook } = desk();
    env.BOAT_PROJECT = "not/a name";
    expect(await hook("stop-gate")).toMatchObject({ code: 1, err: expect.stringContaining("cox hook: ") });
    expect((await hook("no-such-hook")).code).toBe(1);
  });
});

describe("setup", () => {
  test("writes the hooks and says where", async () => {
    const { setup, folder } = desk();
    const { out, code } = await setup();
    expect(code).toBe(0);
    expect(out).toBe(`${join(folder, ".claude/settings.json")}: the usual ones\n`);
    expect(JSON.parse(readFileSync(join(folder, ".claude/settings.json"), "utf8")).hooks.Stop).toBeDefined();
  });

  test("a role's own", async () => {
    const { setup, folder } = desk();
    mkdirSync(join(folder, "hooks"));
    writeFileSync(join(folder, "hooks/reviewer.json"), '{"hooks":{"Stop":[]}}');
    expect((await setup("--role", "reviewer", "--hooks", "hooks")).out).toMatch(/: reviewer\n$/);
  });
});
