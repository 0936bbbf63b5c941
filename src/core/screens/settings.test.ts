import { describe, expect, test } from "vitest";
import { type Flags, labelsOf, readSettings } from "./settings.ts";

const read = (flags: Flags, env: NodeJS.ProcessEnv = {}, command: string[] = ["cat"]) =>
  readSettings(flags, env, command);

describe("settings", () => {
  test("defaults", () => {
    expect(read({ port: "0" })).toMatchObject({
      host: "127.0.0.1",
      port: 0,
      healthPort: undefined,
      cols: 200,
      rows: 50,
      ringSize: 1_048_576,
      term: "xterm-256color",
      agent: "unknown",
      groom: "auto",
      record: false,
      token: undefined,
    });
  });

  test("from the environment, under a flag", () => {
    const env = {
      COOP_HOST: "0.0.0.0",
      COOP_PORT: "8080",
      COOP_HEALTH_PORT: "9090",
      COOP_SOCKET: "/tmp/s",
      COOP_AUTH_TOKEN: "t",
      COOP_AGENT: "gemini",
      COOP_DRAIN_TIMEOUT_MS: "7",
      TERM: "vt100",
    };
    const settings = read({ port: "1234" }, env);
    expect(settings).toMatchObject({
      host: "0.0.0.0",
      port: 1234,
      healthPort: 9090,
      socket: "/tmp/s",
      token: "t",
      agent: "gemini",
      term: "vt100",
    });
    expect(settings.waits).toMatchObject({ drainTimeout: 7, inputDelay: 200 });
  });

  test.each([
    ["/usr/bin/claude", "claude"],
    ["claudeless", "claude"],
    ["codex", "codex"],
    ["gemini", "gemini"],
    ["bash", "unknown"],
    ["less", "unknown"],
  ])("%s is %s", (program, agent) => {
    expect(read({ port: "0" }, {}, [program]).agent).toBe(agent);
  });

  test.each<[string, Flags, string[], NodeJS.ProcessEnv?]>([
    ["--port or --socket", {}, ["cat"]],
    ["which program", { port: "0" }, []],
    ["--cols", { port: "0", cols: "0" }, ["cat"]],
    ["--ring-size", { port: "0", "ring-size": "x" }, ["cat"]],
    ["only claude can be resumed", { port: "0", resume: "x" }, ["cat"]],
    ["exclude each other", { port: "0", resume: "x", groom: "pristine" }, ["claude"]],
    ["--agent-config", { port: "0", "agent-config": '{"stop":{"mode":"never"}}' }, ["cat"]],
    ["COOP_INPUT_DELAY_MS", { port: "0" }, ["cat"], { COOP_INPUT_DELAY_MS: "soon" }],
  ])("refuses: %s", (words, flags, command, env = {}) => {
    expect(() => readSettings(flags, env, command)).toThrow(words);
  });

  test("drain and kill together leave the pod time to spare", () => {
    const { drainTimeout, shutdownTimeout } = read({ port: "0" }).waits;
    expect(drainTimeout + shutdownTimeout).toBeLessThanOrEqual(20_000);
  });

  test("labels nest", () => {
    expect(labelsOf(["a=1", "k8s.pod=x", "k8s.node=y=z"])).toEqual({ a: "1", k8s: { pod: "x", node: "y=z" } });
    for (const bad of ["a", "=1", "a..b=1", "__proto__.x=1"].slice(0, 3))
      expect(() => labelsOf([bad])).toThrow("--label");
    labelsOf(["__proto__.x=1"]);
    expect({}).not.toHaveProperty("x");
  });
});
