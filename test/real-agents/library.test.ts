import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/cox.ts";
import { claude } from "./agents/claude.ts";
import { startModelServer } from "./model-server.ts";
import { Stage } from "./stage.ts";

/** As it is built: a host takes orders only from the same build. */
const { coxswain }: typeof import("../../src/index.ts") = createRequire(import.meta.url)(join(root, "dist/index.cjs"));

test("a program answers what the real claude asks, talks on with it and interrupts it", {
  timeout: 120_000,
}, async ({ onTestFinished }) => {
  const stage = new Stage(claude.name, onTestFinished);
  const model = await startModelServer(claude.api);
  onTestFinished(() => void model.stop());
  const profile = { agent: claude.name, model: claude.models[0], base_url: model.url, token: "good-key" };
  mkdirSync(join(stage.coxHome, "profiles"), { recursive: true });
  const lines = Object.entries(profile).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  writeFileSync(join(stage.coxHome, "profiles", "real.yaml"), lines.join(""), { mode: 0o600 });

  const asked: string[] = [];
  const run = await coxswain({ env: { ...stage.env, ...claude.env }, home: stage.coxHome }).start({
    prompt: "@bash touch allowed.txt",
    profile: "real",
    workspace: stage.workspace,
    mode: "interactive",
    onRequest(request) {
      if (request.type === "question_request") return "blue";
      const command = request.actionDetails.command ?? "";
      asked.push(command);
      return command.includes("denied") ? "deny" : "allow";
    },
  });
  onTestFinished(async () => {
    await run.stop();
  });
  expect(await run.turn()).toMatchObject({ outcome: "completed" });
  expect(existsSync(join(stage.workspace, "allowed.txt"))).toBe(true);
  await run.turn("@bash touch denied.txt");
  expect(existsSync(join(stage.workspace, "denied.txt"))).toBe(false);
  expect(asked).toEqual(["touch allowed.txt", "touch denied.txt"]);
  expect((await run.turn(claude.say?.question)).finalResponse).toContain("blue");

  const slow = run.turn("@slow");
  for await (const event of run.events()) {
    if (event.type === "message_chunk" && event.text.includes("tick")) break;
  }
  await run.interrupt();
  expect(await slow).toMatchObject({ outcome: "interrupted" });

  await run.setOption("model", claude.models[1] ?? "");
  expect((await run.turn("which model are you?")).finalResponse).toContain(claude.models[1]);
  expect(await run.stop()).toMatchObject({ state: "completed", agent: "claude" });
});
