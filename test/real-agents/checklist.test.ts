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

/** Claude begins with the model that it chooses itself. The one codex chooses has other tools than the scripted server knows. */
const subjects: [RealAgent, Pick<Checked, "name" | "models">, string[]?][] = [
  [
    claude,
    {
      name: "Claude",
      models: [
        { choice: "default", id: "claude-opus" },
        { choice: "sonnet", id: "claude-sonnet" },
      ],
    },
  ],
  [
    codex,
    {
      name: "Codex",
      models: [
        { choice: "gpt-5.5", id: "gpt-5.5" },
        { choice: "gpt-5.6-sol", id: "gpt-5.6-sol" },
      ],
    },
    ["--model", "gpt-5.5"],
  ],
];

/** Each real agent by its program, with a home of its own, against a scripted model. */
for (const [agent, seen, wanted = []] of subjects) {
  describe(`${agent.name} on a scripted model`, () => {
    const ending: (() => unknown)[] = [];
    let base = "";
    afterAll(async () => {
      for (const end of ending.toReversed()) await end();
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
          const args = ["--agent", agent.name, "--base-url", base, "--token", "-", ...wanted];
          const made = await world.server.scene.cox(["profile", "set", PROFILE, ...args], { input: "good-key" });
          expect(made.code, made.stderr).toBe(0);
          const version = versions[agent.name] ?? "unknown";
          await checklist(world, {
            ...seen,
            version,
            profile: PROFILE,
            defaultModel: "",
            say,
            context: agent.counted.context,
          });
        });
      },
      wishes,
    );
  });
}
