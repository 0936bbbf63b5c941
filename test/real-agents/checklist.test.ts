import { afterAll, afterEach, describe, expect, test } from "vitest";
import { type Checked, checklist } from "../browser/checklist.ts";
import { inBrowser } from "../browser/page.ts";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import { startModelServer } from "./model-server.ts";
import { versions } from "./pins.ts";
import type { RealAgent } from "./real-agent.ts";
import { Stage } from "./stage.ts";

const PROFILE = "scripted";

const say: Checked["say"] = {
  hello: "hello",
  slow: "@slow",
  shell: (command) => `@bash ${command}`,
  remember: (word) => `the magic word is ${word}`,
  recall: "@recall",
  model: "which model are you?",
  trouble: "@err 401",
};

/** A model is named by its own choice of words, and by its id before its server. */
const same = (id: string) => ({ choice: id, id });

const subjects: [RealAgent, Pick<Checked, "name" | "models">][] = [
  [claude, { name: "Claude", models: [same("claude-sonnet-4-5"), same("claude-opus-4-5")] }],
  [codex, { name: "Codex", models: [same("gpt-5.5"), same("gpt-5.6-sol")] }],
];

/** Each real agent by its program, with a home of its own, against a scripted model. */
for (const [agent, seen] of subjects) {
  describe(`${agent.name} on a scripted model`, () => {
    const ending: (() => unknown)[] = [];
    let base = "";
    afterAll(async () => {
      for (const end of ending.reverse()) await end();
    });

    const wishes = async () => {
      const server = await startModelServer(agent.api);
      ending.push(() => server.stop());
      base = server.url + (agent.path ?? "");
      const stage = new Stage(agent.name, (end) => ending.push(end));
      agent.prepare?.(stage);
      return { env: { ...stage.env, ...agent.env } };
    };

    inBrowser(
      "in the browser",
      (world) => {
        afterEach(async ({ task }) => {
          await world.endPages(task.result?.state === "fail");
          expect(world.complaints.splice(0)).toEqual([]);
        });

        test("the checklist holds", { timeout: 300_000 }, async () => {
          const args = ["--agent", agent.name, "--base-url", base, "--token", "-"];
          const made = await world.server.scene.cox(["profile", "set", PROFILE, ...args], { input: "good-key" });
          expect(made.code, made.stderr).toBe(0);
          const version = versions[agent.name] ?? "unknown";
          await checklist(world, { ...seen, version, profile: PROFILE, defaultModel: "", say, context: agent.counted.context });
        });
      },
      wishes,
    );
  });
}
