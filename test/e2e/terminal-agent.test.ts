import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../src/contract/events.ts";
import { root, type Scene, scene, until } from "../support/cox.ts";

/** An agent without a protocol: it has a screen, and that is read. */
function withAgent(config: object = {}, args: readonly string[] = []): Scene {
  const place = scene();
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  const agent = {
    id: "screen",
    name: "Screen agent",
    cmd: [join(root, "test/fakes/screen-agent.sh"), ...args],
    protocol: "terminal",
    protocol_config: { prompt_pattern: "^you>$", permission_patterns: ["\\[y/n\\]$"], interrupt: "\x03", ...config },
  };
  writeFileSync(join(place.home, "agents.json"), JSON.stringify({ agents: [agent] }));
  return place;
}

const eventsOf = (place: Scene): AgentEvent[] => place.runs()[0]?.events ?? [];
const typesOf = (place: Scene) => eventsOf(place).map(({ type }) => type);

test("a prompt is typed, and what it prints is its message", async () => {
  const place = withAgent();
  const { code, stdout, stderr } = await place.cox(["run", "-q", "--no-preamble", "--agent", "screen", "hello there"]);
  expect(code, stderr).toBe(0);
  expect(stdout).toBe("thinking…\nYou said: hello there\n");
  expect(typesOf(place).filter((type) => type !== "prompt_queue")).toEqual([
    "session_status",
    "user_message",
    "turn_started",
    "message_chunk",
    "complete",
    "session_status",
  ]);
});

test("more than a screen of it arrives", async () => {
  const place = withAgent();
  const { stdout } = await place.cox(["run", "-q", "--no-preamble", "--agent", "screen", "long story"]);
  const lines = stdout.split("\n").filter((line) => line.startsWith("line "));
  expect(lines).toEqual(Array.from({ length: 100 }, (_, at) => `line ${at}`));
});

test.each([
  ["allow", "Deleted a.txt.", "allowed"],
  ["deny", "Left a.txt alone.", "denied"],
])("what it asks on its screen is a request: %s", async (policy, words, outcome) => {
  const place = withAgent();
  const { stdout } = await place.cox([
    "run",
    "-q",
    "--no-preamble",
    "--agent",
    "screen",
    "--permissions",
    policy,
    "delete a.txt",
  ]);
  expect(stdout).toContain(words);
  expect(eventsOf(place)).toContainEqual(
    expect.objectContaining({
      type: "permission_request",
      source: "screen",
      permissionTitle: "Run rm a.txt? [y/n]",
      permissionOptions: [
        { id: "yes", label: "Yes", kind: "allow_once" },
        { id: "no", label: "No", kind: "reject_once" },
      ],
    }),
  );
  expect(eventsOf(place)).toContainEqual(expect.objectContaining({ type: "request_resolved", outcome, by: "policy" }));
});

test("a person answers from another terminal, prompts again, and interrupts", async () => {
  const place = withAgent();
  expect(
    (await place.cox(["run", "-i", "-d", "--no-preamble", "--agent", "screen", "--permissions", "ask", "delete b.txt"]))
      .code,
  ).toBe(0);
  await until(() => soFar(place).some(({ type }) => type === "permission_request"));
  const { stdout: inbox } = await place.cox(["inbox", "--json"]);
  const { request } = JSON.parse(inbox);
  expect((await place.cox(["answer", request, "allow"])).code).toBe(0);
  await until(() => soFar(place).some(({ type }) => type === "complete"));
  expect((await place.cox(["prompt", "latest", "second"])).code).toBe(0);
  await until(() => soFar(place).filter(({ type }) => type === "complete").length === 2);
  expect(JSON.stringify(soFar(place))).toContain("You said: second");
  await place.cox(["prompt", "latest", "wait for it"]);
  await until(() => soFar(place).filter(({ type }) => type === "turn_started").length === 3);
  await place.cox(["interrupt", "latest"]);
  await until(() => soFar(place).some((event) => event.type === "complete" && event.outcome === "interrupted"));
  expect((await place.cox(["stop", "latest"])).code).toBe(0);
});

/** While the run is made there may be nothing to read yet. */
function soFar(place: Scene): AgentEvent[] {
  try {
    return eventsOf(place);
  } catch {
    return [];
  }
}

test("with a prompt flag each prompt is a program of its own", async () => {
  const place = withAgent({ prompt_flag: "-p" });
  const { code, stdout } = await place.cox(["run", "-q", "--no-preamble", "--agent", "screen", "a 'quoted' prompt"]);
  expect([code, stdout]).toEqual([0, "You gave me on the command line: a 'quoted' prompt\n"]);
});

test("without patterns it is idle when it is quiet", async () => {
  const place = withAgent({ prompt_pattern: undefined, permission_patterns: undefined, quiet_ms: 1000 });
  const { code, stdout } = await place.cox(["run", "-q", "--no-preamble", "--agent", "screen", "hello"]);
  expect([code, stdout.includes("You said: hello")]).toEqual([0, true]);
});

test("one that ends in the middle has failed", async () => {
  const place = withAgent();
  const { code } = await place.cox(["run", "-q", "--no-preamble", "--agent", "screen", "crash"]);
  expect(code).not.toBe(0);
  expect(eventsOf(place)).toContainEqual(expect.objectContaining({ type: "complete", outcome: "failed" }));
});

test("what is wrong with its entry is said, with the field", async () => {
  const { code, stderr } = await withAgent({ quiet_ms: "long" }).cox([
    "run",
    "-q",
    "--no-preamble",
    "--agent",
    "screen",
    "x",
  ]);
  expect([code !== 0, stderr.includes("quiet_ms")]).toEqual([true, true]);
  const sandboxed = await withAgent().cox([
    "run",
    "-q",
    "--no-preamble",
    "--on",
    "container",
    "--image",
    "x",
    "--agent",
    "screen",
    "x",
  ]);
  expect(sandboxed.code).not.toBe(0);
});
