import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { processesWithEnv } from "../../src/lib/process/holders/identity.ts";
import { root, scene, until } from "../support/cox.ts";
import { type SupervisedScene, supervisedScene } from "../support/supervised.ts";
import { openTerminal } from "../support/terminal.ts";

interface Note {
  pid?: number;
  id?: string;
  resumed?: boolean;
  prompt?: string;
  signal?: string;
}

function withTuiClaude(made: SupervisedScene) {
  const file = join(made.scene.folder, "notes.jsonl");
  symlinkSync(join(root, "test/fakes/tui-claude.mjs"), join(made.scene.folder, "bin/claude"));
  const notes = (): Note[] =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line))
      : [];
  return { notes, env: { TUI_CLAUDE_NOTES: file, COOP_SCREEN_POLL_MS: "200", COOP_LOG_POLL_MS: "200" } };
}

const markerOf = (made: SupervisedScene): string =>
  JSON.parse(readFileSync(join(made.state, "supervisor.json"), "utf8")).marker;

describe("a supervisor with its terminal host", { timeout: 40_000 }, () => {
  test("killed with -9 and started again, it ends what was left and goes on with the same conversation", async () => {
    const made = supervisedScene();
    const { notes, env } = withTuiClaude(made);
    const first = await made.supervise(["--nudge=the magic word is pelican"], env);
    await until(() => notes().some(({ prompt }) => prompt === "the magic word is pelican"));
    const marker = markerOf(made);
    await first.killed();
    expect(processesWithEnv("COXSWAIN_SUPERVISOR", marker).length).toBeGreaterThan(0); // else there was nothing to end

    const second = await made.supervise(["--nudge=what was it"], env);
    await until(() => notes().some(({ prompt }) => prompt === "what was it"));
    expect(processesWithEnv("COXSWAIN_SUPERVISOR", marker)).toEqual([]);
    const [before, after] = notes().filter(({ id }) => id !== undefined);
    expect(after).toMatchObject({ id: before?.id, resumed: true });
    const headers = { authorization: `Bearer ${made.token()}` };
    const screen = await fetch(`http://127.0.0.1:${made.port}/api/v1/screen/text`, { headers });
    expect(await screen.text()).toContain("So far you said: the magic word is pelican | what was it");
    second.child.kill("SIGTERM");
    expect((await second.done).code).toBe(0);
    expect(notes().at(-1)).toMatchObject({ signal: "SIGTERM" });
  });

  test("an agent that is killed is started again; pipes of the host before are gone", async () => {
    const made = supervisedScene();
    const { notes, env } = withTuiClaude(made);
    const run = await made.supervise(["--nudge=remember this"], env);
    await until(() => notes().some(({ prompt }) => prompt !== undefined));
    process.kill(notes()[0]?.pid ?? 0, "SIGKILL");
    await run.said(/^agent ended 137 after \d+s \(restart 1\/10\)$/);
    await until(() => notes().filter(({ prompt }) => prompt !== undefined).length === 2);
    expect(notes().filter(({ id }) => id !== undefined)[1]).toMatchObject({ resumed: true, id: notes()[0]?.id });
  });

  test("a conversation that can't be resumed is put aside, and the agent begins anew", async () => {
    const made = supervisedScene();
    const { notes, env } = withTuiClaude(made);
    const folder = join(made.state, "claude/projects", made.workspace.replace(/[^a-zA-Z0-9]/g, "-"));
    mkdirSync(folder, { recursive: true });
    const log = join(folder, "broken.jsonl");
    writeFileSync(log, '{"type":"user"}\nnot json\n'); // the agent fails on it
    const run = await made.supervise(["--nudge="], env);
    await run.said("put a conversation aside that could not be resumed");
    await until(() => notes().some(({ resumed }) => resumed === false));
    expect(existsSync(`${log}.stale`)).toBe(true);
  });
});

describe("--local", { timeout: 40_000 }, () => {
  test("works in a folder of the person's, detached, without touching their home, until it is stopped", async () => {
    const made = scene();
    const bin = join(made.folder, "bin");
    mkdirSync(bin);
    symlinkSync(join(root, "test/fakes/tui-claude.mjs"), join(bin, "claude"));
    const notes = join(made.folder, "notes.jsonl");
    writeFileSync(join(made.folder, ".gitconfig"), "[user]\n\tname = Ann\n");
    const env = { PATH: `${bin}:${process.env.PATH}`, TUI_CLAUDE_NOTES: notes, ANTHROPIC_API_KEY: "k" };
    onTestFinished(async () => void (await made.cox(["agent", "stop"], { env }))); // when the test failed before it did
    const started = await made.cox(["agent", "start", "--local", "--detach", "--json", "--nudge=hello"], { env });
    expect(started.code, started.stderr).toBe(0);
    const place = JSON.parse(started.stdout);
    expect(place.terminal).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await until(() => existsSync(notes) && readFileSync(notes, "utf8").includes('"prompt":"hello"'));
    const token = readFileSync(place.token_file, "utf8").trim();
    const status = await (await fetch(place.status)).json();
    expect(status).toMatchObject({ credentials: { mode: "APIKey" } });
    const screen = await fetch(`${place.terminal}/api/v1/screen/text`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(screen.status).toBe(200);

    const again = await made.cox(["agent", "start", "--local", "--detach"], { env });
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("is at work there");

    expect((await made.cox(["agent", "stop"], { env })).code).toBe(0);
    await expect(fetch(place.status)).rejects.toThrow();
    for (const name of [".claude", ".claude.json", ".git-credentials"])
      expect(existsSync(join(made.folder, name))).toBe(false);
    expect(existsSync(join(made.workspace, ".state"))).toBe(false);
  });

  test("attaches, and leaves the agent running when the person leaves", async () => {
    const made = scene();
    const bin = join(made.folder, "bin");
    mkdirSync(bin);
    symlinkSync(join(root, "test/fakes/tui-claude.mjs"), join(bin, "claude"));
    const env = { ...made.env, PATH: `${bin}:${process.env.PATH}` };
    onTestFinished(async () => void (await made.cox(["agent", "stop"], { env })));
    const argv = [process.execPath, join(root, "bin/cox"), "agent", "start", "--local", "--nudge=hello there"] as const;
    const terminal = await openTerminal(argv, { cwd: made.workspace, env });
    await terminal.shows(/So far you said: hello there/);
    terminal.type("typed by hand\r");
    await terminal.shows(/hello there \| typed by hand/);
    terminal.type("\u001d"); // Ctrl-]
    await terminal.shows(/to end the agent: cox agent stop/);
    expect((await terminal.exited).code).toBe(0);
    expect((await made.cox(["agent", "stop"], { env })).stdout).toBe(`stopped ${made.workspace}\n`);
  });
});
