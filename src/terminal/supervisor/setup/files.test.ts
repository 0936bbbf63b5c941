import { EventEmitter } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../lib/base/clock.ts";
import { placesOf } from "../places.ts";
import { start } from "../start.ts";
import { testPlace } from "../test-place.ts";
import { claudeSettings, settingsFor } from "./claude-settings.ts";
import { daemonConfig, withKeys } from "./daemon-config.ts";
import { stateHome, toolPath } from "./environment.ts";
import { instructions, withTools } from "./instructions.ts";
import { onboarded, onboarding } from "./onboarding.ts";
import { platformVersion } from "./platform-version.ts";
import { stateFolder } from "./state-folder.ts";

const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));

test("the platform's version, when the image has one", async () => {
  const place = testPlace();
  expect(await platformVersion.run(place)).toEqual({});
  writeFileSync(place.settings.platformVersionFile, " v1.2.3\n");
  expect(await platformVersion.run(place)).toMatchObject({ env: { BEADS_PLATFORM_VERSION: "v1.2.3" } });
});

describe("the daemon's configuration", () => {
  test("with its token, for nobody else, other keys kept", async () => {
    const place = testPlace({ BEADS_DAEMON_HOST: "beads", BEADS_DAEMON_TOKEN: 'a"b' });
    const file = join(place.settings.workspace, ".beads/config.yaml");
    mkdirSync(join(file, ".."));
    writeFileSync(file, "other: 1\ndaemon-host: old\n");
    await daemonConfig.run(place);
    expect(readFileSync(file, "utf8")).toBe('other: 1\ndaemon-host: "http://beads:9080"\ndaemon-token: "a\\"b"\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("no daemon, no file", async () => {
    const place = testPlace();
    await daemonConfig.run(place);
    expect(existsSync(join(place.settings.workspace, ".beads"))).toBe(false);
  });

  test("keys of a similar name are others", () => {
    expect(withKeys("a-b: 1\na: 2\n", { a: "3" })).toBe('a-b: 1\na: "3"\n');
  });
});

describe("the state folder", () => {
  test("is made, and ~/.claude leads there, however often", async () => {
    const place = testPlace();
    await stateFolder.run(place);
    await stateFolder.run(place);
    const { home, state } = place.settings;
    expect(readlinkSync(join(home, ".claude"))).toBe(join(state, "claude"));
    expect(existsSync(join(state, "coop"))).toBe(true);
    expect(readlinkSync(join(home, ".coxswain"))).toBe(join(state, "coxswain"));
  });

  test("a folder that the image brought is kept, and what the state lacks is taken from it", async () => {
    const place = testPlace();
    const { home } = place.settings;
    mkdirSync(join(home, ".claude"));
    writeFileSync(join(home, ".claude", "plugin.json"), "image");
    writeFileSync(join(home, ".claude", "settings.json"), "image");
    mkdirSync(place.places.claude, { recursive: true });
    writeFileSync(join(place.places.claude, "settings.json"), "volume");
    await stateFolder.run(place);
    expect(readFileSync(join(home, ".claude", "plugin.json"), "utf8")).toBe("image");
    expect(readFileSync(join(home, ".claude", "settings.json"), "utf8")).toBe("volume");
    expect(readFileSync(join(home, ".claude.before-1", "settings.json"), "utf8")).toBe("image");
  });

  test("a link to elsewhere is set right", async () => {
    const place = testPlace();
    symlinkSync("/nowhere", join(place.settings.home, ".claude"));
    await stateFolder.run(place);
    expect(readlinkSync(join(place.settings.home, ".claude"))).toBe(place.places.claude);
  });

  test("a volume mounted at ~/.claude is used as it is, also for what is read later", async () => {
    const place = testPlace();
    const own = join(place.settings.home, ".claude");
    const places = placesOf(place.settings, undefined, new Set([own]));
    await stateFolder.run({ ...place, places });
    expect(lstatSync(own).isDirectory()).toBe(true);
    expect(places.credentials).toBe(join(own, ".credentials.json"));
    expect(places.conversations).toBe(join(own, "projects"));
  });
});

test("the environment of the terminal host and its tools", async () => {
  const place = testPlace({ PATH: "/usr/bin" });
  expect(stateHome.run(place)).toMatchObject({ env: { XDG_STATE_HOME: place.settings.state } });
  const goFolder = place.settings.home;
  expect(toolPath.run({ ...place, settings: { ...place.settings, goFolder } })).toMatchObject({
    env: { PATH: `${goFolder}:/usr/bin` },
  });
  expect(toolPath.run(place)).toEqual(existsSync("/usr/local/go/bin") ? expect.anything() : {});
});

describe("settings.json", () => {
  test("plugins for the language servers that are there", () => {
    expect(settingsFor([])).not.toHaveProperty("enabledPlugins");
    expect(settingsFor(["gopls", "rust-analyzer"])).toMatchObject({
      enabledPlugins: { "gopls-lsp@claude-plugins-official": true, "rust-analyzer-lsp@claude-plugins-official": true },
    });
  });

  test("found on the agent's PATH, added to what is there", async () => {
    const place = testPlace();
    const bin = place.settings.home;
    writeFileSync(join(bin, "gopls"), "#!/bin/sh\n", { mode: 0o755 });
    mkdirSync(place.places.claude, { recursive: true });
    const file = join(place.places.claude, "settings.json");
    writeFileSync(
      file,
      JSON.stringify({ model: "opus", permissions: { allow: ["Bash", "Mine"], deny: ["Read(secret)"] } }),
    );
    await claudeSettings.run({ ...place, env: { PATH: bin } });
    await claudeSettings.run({ ...place, env: { PATH: bin } });
    const made = json(file);
    expect(made).toMatchObject({
      model: "opus",
      skipDangerousModePermissionPrompt: true,
      permissions: { deny: ["Read(secret)"] },
    });
    expect(made.permissions.allow.filter((rule: string) => rule === "Bash" || rule === "Mine")).toEqual([
      "Bash",
      "Mine",
    ]);
    expect(made.enabledPlugins).toEqual({ "gopls-lsp@claude-plugins-official": true });
  });

  test("a file that is no JSON is refused, not overwritten", async () => {
    const place = testPlace();
    mkdirSync(place.places.claude, { recursive: true });
    const file = join(place.places.claude, "settings.json");
    writeFileSync(file, "{ half");
    expect(() => claudeSettings.run(place)).toThrowError(expect.objectContaining({ code: "config.invalid" }));
    expect(readFileSync(file, "utf8")).toBe("{ half");
  });
});

describe("CLAUDE.md", () => {
  const read = (place: ReturnType<typeof testPlace>) =>
    readFileSync(join(place.settings.workspace, "CLAUDE.md"), "utf8");

  test("is written when there is none, and only once", async () => {
    const place = testPlace({ BOAT_ROLE: "crew", BOAT_AGENT: "ada", BOAT_PROJECT: "web" });
    await instructions.run(place);
    expect(read(place)).toMatch(/^# ada\n[^]*Role: crew[^]*Project: web[^]*## Development Tools/);
    expect(await instructions.run(place)).toEqual({ note: "as it is" });
  });

  test("nothing is written for an agent whose program isn't there", async () => {
    const ports = { port: "0", healthPort: "0", statusPort: "0" };
    const { settings, env, log } = testPlace({}, { command: "no-such-agent", ...ports });
    const started = start(settings, { env, clock: systemClock, log, signals: new EventEmitter() });
    await expect(started).rejects.toMatchObject({ code: "agent.not_installed" });
    for (const name of ["CLAUDE.md", ".claude/settings.json"]) {
      expect([name, existsSync(join(settings.workspace, name))]).toEqual([name, false]);
    }
  });

  test("claims only what was looked at", async () => {
    const place = testPlace();
    const bin = join(place.settings.home, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "gh"), "#!/bin/sh\n", { mode: 0o755 });
    await instructions.run({ ...place, env: { ...place.env, PATH: bin } });
    expect(read(place)).toContain("- On PATH: `gh`.\n");
    expect(read(place)).not.toMatch(/signed in|`git`/);
  });

  test("a person's own text gets the section on tools, unless it has one", () => {
    expect(withTools("# Mine\n", ["git"])).toMatch(/^# Mine\n\n## Development Tools\n/);
    const whole = "# Mine\n## Development Tools\nmake\n";
    expect(withTools(whole, ["git"])).toBe(whole);
  });
});

describe("onboarding", () => {
  const key = `sk-ant-${"0".repeat(30)}-the-end-of-the-key`;

  test("everything that is asked at a first start is answered", () => {
    expect(onboarded({}, ["/ws"], key)).toEqual({
      hasCompletedOnboarding: true,
      bypassPermissionsModeAccepted: true,
      projects: { "/ws": { hasTrustDialogAccepted: true } },
      customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
    });
    expect(onboarded({}, ["/ws"], undefined)).not.toHaveProperty("customApiKeyResponses");
  });

  test("what Claude keeps there stays, and a refused key is accepted", () => {
    const before = {
      userID: "u",
      projects: { "/ws": { history: [1] }, "/other": {} },
      customApiKeyResponses: { approved: ["x"], rejected: [key.slice(-20), "y"] },
    };
    expect(onboarded(before, ["/ws"], key)).toMatchObject({
      userID: "u",
      projects: { "/ws": { history: [1], hasTrustDialogAccepted: true }, "/other": {} },
      customApiKeyResponses: { approved: ["x", key.slice(-20)], rejected: ["y"] },
    });
  });

  test("written for the agent alone", async () => {
    const place = testPlace({ ANTHROPIC_API_KEY: key });
    await onboarding.run(place);
    const file = join(place.settings.home, ".claude.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(json(file).projects[place.settings.workspace]).toEqual({ hasTrustDialogAccepted: true });
  });
});
