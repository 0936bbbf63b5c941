import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { AgentDefinition } from "../registry/definition-schema.ts";
import { listModels, parseModels } from "./models.ts";

describe("what an agent prints", () => {
  const cases: Record<string, [output: string, ids: string[]]> = {
    "names, line by line": [
      "openai/gpt-5.5\nanthropic/claude-opus-5\n\n",
      ["openai/gpt-5.5", "anthropic/claude-opus-5"],
    ],
    "lines that are no names": ["Available models:\n  gpt-x\n\u001b[1mbold\u001b[0m", ["gpt-x"]],
    "a list of names": ['["a", "b"]', ["a", "b"]],
    "a list of models": ['[{"id": "a", "name": "A", "more": 1}]', ["a"]],
    "codex's list": ['{"models": [{"slug": "gpt-5.5", "display_name": "GPT-5.5"}], "etag": "x"}', ["gpt-5.5"]],
    "no JSON after all": ["{ half", []],
    "JSON of another kind": ['{"error": "no"}', []],
  };
  test.each(Object.entries(cases))("%s", (_, [output, ids]) => {
    expect(parseModels(output).map(({ id }) => id)).toEqual(ids);
  });
});

describe("the list", () => {
  const folder = temporaryFolder();
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const agent = (script: string | undefined, timeoutMs = 10_000) => {
    if (script !== undefined) writeFileSync(join(folder, "lister"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return AgentDefinition.parse({
      id: "mine",
      name: "Mine",
      cmd: ["x"],
      model_config: {
        available_models: [{ id: "fixed" }],
        dynamic_models_cmd: script === undefined ? [] : ["lister", "models"],
        dynamic_models_timeout_ms: timeoutMs,
      },
    });
  };

  test("is the definition's where there is no command", async () => {
    expect(await listModels(agent(undefined), env)).toMatchObject({ source: "static", models: [{ id: "fixed" }] });
  });

  test("is the agent's own", async () => {
    expect(await listModels(agent("echo $1-a; echo b"), env)).toEqual({
      source: "dynamic",
      models: [
        { id: "models-a", name: "" },
        { id: "b", name: "" },
      ],
    });
  });

  test("that never comes isn't waited for", async () => {
    const list = await listModels(agent("exec sleep 30", 200), env);
    expect(list).toMatchObject({ source: "static", models: [{ id: "fixed" }] });
    expect(list.trouble).toMatch(/took longer than 0.2 s/);
  });

  test("of a program that isn't there is the definition's, with the reason", async () => {
    const list = await listModels(agent("echo a"), { PATH: "/nowhere" });
    expect(list).toMatchObject({ source: "static", trouble: "lister: not found on PATH" });
  });
});
