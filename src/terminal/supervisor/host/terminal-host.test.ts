import { expect, test } from "vitest";
import { testPlace } from "../test-place.ts";
import { hostArguments, hostEnvironment } from "./terminal-host.ts";

test("the agent's words come last, each as one argument", () => {
  const { settings } = testPlace({}, { command: "claude --append-system-prompt 'a b'" });
  expect(hostArguments(settings, "/log.jsonl")).toEqual([
    ...["--agent=claude", "--host=0.0.0.0", "--port=8080", "--port-health=9090", "--cols=200", "--rows=50"],
    ...["--groom=manual", "--resume", "/log.jsonl", "--", "claude", "--append-system-prompt", "a b"],
  ]);
});

test("a program that nobody knows is left to the host, and on a person's machine nobody else reaches it", () => {
  const { settings } = testPlace({}, { command: "/opt/agent" });
  const args = hostArguments({ ...settings, reachable: false }, undefined);
  expect(args).toContain("--host=127.0.0.1");
  expect(args.join(" ")).not.toMatch(/--agent|--resume/);
});

test("the token goes by the environment, the hub's tokens don't, and the host doesn't register itself", () => {
  const hub = { COOP_MUX_URL: "http://mux", COOP_MUX_AUTH_TOKEN: "a", COOP_MUX_TOKEN: "b", COOP_BROKER_TOKEN: "c" };
  const env = hostEnvironment({ ...hub, KEPT: "1", ANTHROPIC_API_KEY: "k" }, "token", 20_000);
  expect(env).toMatchObject({ KEPT: "1", ANTHROPIC_API_KEY: "k", COOP_AUTH_TOKEN: "token", COOP_MUX_URL: "" });
  expect(Object.keys(env).filter((name) => /MUX_.*TOKEN|BROKER/.test(name))).toEqual([]);
});

test("the host's own waits together end before ours", () => {
  const env = hostEnvironment({}, "t", 25_000);
  expect(Number(env.COOP_DRAIN_TIMEOUT_MS) + Number(env.COOP_SHUTDOWN_TIMEOUT_MS)).toBeLessThan(25_000);
});
