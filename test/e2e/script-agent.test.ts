import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, type Scene, scene, until } from "../support/cox.ts";

/** A script as people write them for a runner that hands over a prompt and reads what is printed. */
const script = `#!/bin/sh
if [ "$1" = "--version" ]; then echo asked >> "$COUNT"; exit 0; fi
prompt=$(cat)
echo "task $JRUN_TASK_ID of $JRUN_PROJECT_ID"
echo "bus $JRUN_MESSAGE_BUS"
case "$prompt" in
  *"break it"*) echo "it broke" >&2; exit 3 ;;
  *"wait for me") echo waiting; sleep 60 ;;
esac
echo "told: $(echo "$prompt" | tail -1)"
`;

function withScript(entry: object = {}): { made: Scene; env: NodeJS.ProcessEnv } {
  const made = scene();
  const file = join(made.folder, "agent.sh");
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  mkdirSync(made.home, { recursive: true, mode: 0o700 });
  const whole = { id: "script", name: "Script", protocol: "text", cmd: [file], ...entry };
  writeFileSync(join(made.home, "agents.json"), JSON.stringify(whole));
  return { made, env: { COUNT: join(made.folder, "count") } };
}

const place = ["--agent", "script", "--project", "p", "--task", "t"];

test("a plain script is an agent: the prompt in, text out, and its exit code is the run's", async () => {
  const { made, env } = withScript();
  const ran = await made.cox(["run", ...place, "--json", "--", "hello there"], { env });
  expect(ran.code, ran.stderr).toBe(0);
  const events = ran.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  // However quick it is, whoever watches sees it from the first event on.
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const [run] = made.runs();
  const output = readFileSync(join(run?.dir ?? "", "output.md"), "utf8");
  expect(output).toBe(`task t of p\nbus ${join(made.home, "projects/p/t/TASK-MESSAGE-BUS.md")}\ntold: hello there\n`);
  expect(readFileSync(join(run?.dir ?? "", "agent-stdout.txt"), "utf8")).toBe(output);

  const broken = await made.cox(["run", ...place, "--", "break it"], { env });
  expect(broken.code).toBe(3);
  expect(broken.stdout).toContain("exit code 3: it broke");
  expect(made.runs()[1]?.info).toMatchObject({ status: "failed", reason: "exit_code", exit_code: 3 });

  const resumed = await made.cox(["run", "--agent", "script", "--resume", "r1", "--quiet", "--", "go on"], { env });
  expect(resumed.stdout).toContain("told: go on");

  const listed = await made.cox(["agent", "ls"], { env });
  expect(listed.stdout).toMatch(/script +installed +text/);
  const shown = await made.cox(["agent", "show", "script"], { env });
  expect(shown.stdout).toMatch(/resume +by telling it what was said before/);
  // A script that knows no --version would begin to work.
  expect(() => readFileSync(env.COUNT ?? "")).toThrow("ENOENT");
});

test("further prompts start it again, and an interrupt ends it", async () => {
  const { made, env } = withScript();
  const started = await made.cox(["run", "-d", "-i", ...place, "--", "first"], { env });
  expect(started.code, started.stderr).toBe(0);
  const output = () => readFileSync(join(made.runs()[0]?.dir ?? "", "agent-stdout.txt"), "utf8");
  await until(() => output().includes("told: first"));
  expect((await made.cox(["prompt", "r1", "--", "wait for me"], { env })).code).toBe(0);
  await until(() => output().includes("waiting"));
  expect((await made.cox(["interrupt", "r1"], { env })).code).toBe(0);
  expect((await made.cox(["prompt", "r1", "--", "third"], { env })).code).toBe(0);
  await until(() => output().includes("told: third"));
  expect(output()).not.toContain("told: wait for me");
  expect((await made.cox(["stop", "r1"], { env })).code).toBe(0);
});

test("the entry of the documentation", async () => {
  const page = readFileSync(join(root, "docs/user/agents.md"), "utf8");
  const json = /### A plain script.*?```json\n(.*?)```/s.exec(page)?.[1] ?? "";
  const { made, env } = withScript();
  const entry = JSON.parse(json);
  writeFileSync(join(made.home, "agents.json"), JSON.stringify({ ...entry, cmd: [join(made.folder, "agent.sh")] }));
  const ran = await made.cox(["run", "--agent", entry.id, "--quiet", "--", "hello"], { env });
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("told: hello") });
});
