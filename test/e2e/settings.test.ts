import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scene } from "../support/cox.ts";

const counter = new URL("../support/count-reads.mjs", import.meta.url).href;

/** `file: how often`, for each process that read it. */
function readsOf(log: string, home: string): string[] {
  const counts = new Map<string, number>();
  for (const line of readFileSync(log, "utf8").split("\n")) {
    const file = line.split(`${home}/`)[1] ?? "";
    if (/^(config\.yaml|agents\.json|prices\.json|profiles\/)/.test(file))
      counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts].map(([line, count]) => `${line.split(`${home}/`)[1]}: ${count}`).sort();
}

describe("a start reads what the person has set once", () => {
  const own = ["agents.json: 1", "config.yaml: 1", "prices.json: 1"];
  test.each([
    ["cox run --agent", ["run", "--agent", "demo", "hi"], own],
    // Whose profile has a key is ready.
    ["cox run", ["run", "hi"], [...own, "profiles/fast.yaml: 1"]],
    ["cox run --profile", ["run", "--profile", "fast", "hi"], [...own, "profiles/fast.yaml: 1"]],
    ["cox run -d --profile", ["run", "-d", "--profile", "fast", "hi"], [...own, "profiles/fast.yaml: 1"]],
  ])("%s", async (_, args, reads) => {
    const made = scene();
    mkdirSync(join(made.home, "profiles"), { recursive: true, mode: 0o700 });
    writeFileSync(join(made.home, "config.yaml"), "color: never\n");
    writeFileSync(join(made.home, "agents.json"), '{"agents": []}');
    writeFileSync(join(made.home, "prices.json"), "{}");
    writeFileSync(join(made.home, "profiles/fast.yaml"), "agent: demo\n");
    const log = join(made.folder, "reads");
    const env = { NODE_OPTIONS: `--import ${counter}`, COX_TEST_READS_FILE: log };
    const { code, stdout, stderr } = await made.cox(args, { env });
    expect(code, stderr).toBe(0);
    if (args.includes("-d")) await made.cox(["stop", stdout.trim().split("\n").at(-1) ?? ""]);
    expect(readsOf(log, made.home)).toEqual(reads);
  });
});
