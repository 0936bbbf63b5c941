import { describe, expect, test } from "vitest";
import { DEFAULT_NUDGE, type Flags, inPod, OUR_PACE, readSettings } from "./settings.ts";

const read = (flags: Flags, env: Record<string, string> = {}) =>
  readSettings(flags, env, inPod(env, flags.workspace ?? "/home/agent/workspace"), ["cox", "terminal"]);

describe("settings", () => {
  test("the defaults of a pod", () => {
    expect(read({})).toMatchObject({
      workspace: "/home/agent/workspace",
      home: "/home/agent",
      state: "/home/agent/workspace/.state",
      command: ["claude", "--dangerously-skip-permissions"],
      terminal: ["cox", "terminal"],
      kind: "claude",
      port: 8080,
      healthPort: 9090,
      maxRestarts: 10,
      nudge: DEFAULT_NUDGE,
      resume: true,
      role: "unknown",
      agent: "unknown",
      podIp: "localhost",
      hub: undefined,
      daemon: undefined,
    });
  });

  test("a flag stands before its variable, and the command is honoured", () => {
    const env = { COOP_MAX_RESTARTS: "3", BOAT_COMMAND: "codex --yolo", BOAT_NUDGE: "go" };
    expect(read({}, env)).toMatchObject({ maxRestarts: 3, command: ["codex", "--yolo"], kind: "codex", nudge: "go" });
    const flags = { maxRestarts: "7", command: "/opt/mine 'a b'", nudge: "" };
    expect(read(flags, env)).toMatchObject({
      maxRestarts: 7,
      command: ["/opt/mine", "a b"],
      kind: undefined,
      nudge: "",
    });
  });

  test("the numbers are ours, unless somebody wants the document's", () => {
    expect(read({}, {}).pace).toEqual(OUR_PACE);
    const env = {
      BOAT_RESTART_WAIT_MS: "2000",
      BOAT_REFRESH_DELAY_MS: "30000",
      BOAT_MANAGED_FROM_MS: "1000000000000",
      BOAT_GOODBYE_MS: "10000",
      BOAT_LOOK_MS: "5000",
    };
    const pace = { restartMs: 2000, refreshDelayMs: 30_000, managedFrom: 1e12, goodbyeMs: 10_000, lookMs: 5000 };
    expect(read({}, env).pace).toEqual(pace);
    expect(() => read({}, { BOAT_LOOK_MS: "soon" })).toThrow("BOAT_LOOK_MS soon: not a whole number from 1");
  });

  test("0 restarts says as usual, and a wrapper can be told which agent it is", () => {
    expect(read({ maxRestarts: "0" }, { COOP_MAX_RESTARTS: "4" }).maxRestarts).toBe(4);
    expect(read({ maxRestarts: "0" }, { COOP_MAX_RESTARTS: "0" }).maxRestarts).toBe(10);
    expect(read({ command: "/opt/my-claude" }, { COOP_AGENT: "claude" }).kind).toBe("claude");
    expect(read({ command: "/opt/my-claude" }).kind).toBeUndefined();
  });

  test("the hub's token is never the terminal's", () => {
    const env = { COOP_MUX_URL: "http://mux:9800/", COOP_AUTH_TOKEN: "terminal", COOP_BROKER_TOKEN: "hub" };
    expect(read({}, env).hub).toEqual({ url: "http://mux:9800", token: "hub" });
    expect(read({}, { ...env, COOP_MUX_AUTH_TOKEN: "mine" }).hub?.token).toBe("mine");
    expect(read({}, { COOP_MUX_URL: "http://mux:9800", COOP_AUTH_TOKEN: "terminal" }).hub?.token).toBeUndefined();
  });

  test.each([
    [{ BEADS_DAEMON_HOST: "beads" }, "http://beads:9080"],
    [{ BEADS_DAEMON_HOST: "beads", BEADS_DAEMON_HTTP_PORT: "1" }, "http://beads:1"],
    [{ BEADS_DAEMON_HOST: "https://beads.example/" }, "https://beads.example"],
  ])("the daemon of %j", (env, url) => {
    expect(read({}, env).daemon?.url).toBe(url);
  });

  test.each([{ port: "x" }, { port: "70000" }, { maxRestarts: "x" }, { maxRestarts: "-1" }, { command: "'" }])(
    "refuses %j",
    (flags) => {
      expect(() => read(flags)).toThrowError(expect.objectContaining({ code: "usage.invalid" }));
    },
  );
});
