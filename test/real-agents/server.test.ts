import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type HttpClient, httpClient } from "../../src/lib/client/http.ts";
import { finished, root, until } from "../support/cox.ts";
import { Conversation } from "../support/talk.ts";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import { startModelServer } from "./model-server.ts";
import type { RealAgent } from "./real-agent.ts";
import { Stage } from "./stage.ts";

/** `cox serve` in the stage's home. */
async function serve(stage: Stage): Promise<{ child: ChildProcess; client: HttpClient }> {
  const args = [join(root, "bin/cox"), "serve", "--no-open", "--port", "0"];
  const env = { ...stage.env, COX_HOME: stage.coxHome, COX_CHECK_RESULTS: "1" };
  const child = spawn(process.execPath, args, { cwd: stage.workspace, env });
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (line) => resolve(String(line).trim()));
    void finished(child).then(({ stderr }) => reject(new Error(stderr)));
  });
  const token = readFileSync(join(stage.coxHome, "server-token"), "utf8").trim();
  return { child, client: httpClient({ url: new URL(address).origin, token }) };
}

describe.each([claude, codex] satisfies RealAgent[])("$name over HTTP", (agent) => {
  test("prompt, stream, allow and deny, question, interrupt, follow-up, another model, and on after a restart", {
    timeout: 180_000,
  }, async ({ onTestFinished }) => {
    const stage = new Stage(agent.name, onTestFinished);
    Object.assign(stage.env, agent.env);
    agent.prepare?.(stage);
    const model = await startModelServer(agent.api);
    onTestFinished(() => void model.stop());
    const profile = {
      agent: agent.name,
      model: agent.models[0],
      base_url: model.url + (agent.path ?? ""),
      token: "good-key",
    };
    mkdirSync(join(stage.coxHome, "profiles"), { recursive: true });
    const lines = Object.entries(profile).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
    writeFileSync(join(stage.coxHome, "profiles", "real.yaml"), lines.join(""), { mode: 0o600 });
    const first = await serve(stage);
    onTestFinished(() => void first.child.kill());
    const { client } = first;

    const talk = await Conversation.start(client, { prompt: "hello", profile: "real", workspace: stage.workspace });
    expect(await talk.untilType("complete")).toMatchObject({ outcome: "completed" });
    expect(talk.said()).toContain("Hello from fake model");

    const decide = async (file: string, kind: "allow_once" | "reject_once") => {
      const from = talk.events.length;
      await talk.prompt(`@bash touch ${file}`);
      const request = await talk.untilType("permission_request", from);
      const option = request.permissionOptions.find((one) => one.kind === kind);
      if (option !== undefined) await talk.answer(request.pendingId, option.id);
      else {
        const params = { run: talk.run, pending: request.pendingId };
        await client.call("POST /runs/{run}/requests/{pending}", { params, body: { answer: { decline: true } } });
      }
      await talk.untilType("complete", from);
      return existsSync(join(stage.workspace, file));
    };
    expect(await decide("allowed.txt", "allow_once")).toBe(true);
    expect(await decide("denied.txt", "reject_once")).toBe(false);

    let from = talk.events.length;
    await talk.prompt(agent.say?.question ?? "");
    const { pendingId, questions } = await talk.untilType("question_request", from);
    const blue = questions[0]?.choices?.find(({ label }) => label === "blue")?.value ?? "blue";
    await client.call("POST /runs/{run}/requests/{pending}", {
      params: { run: talk.run, pending: pendingId },
      body: { answer: { answers: { [questions[0]?.id ?? ""]: [blue] } } },
    });
    await talk.untilType("complete", from);
    expect(talk.said(from)).toContain("blue");

    from = talk.events.length;
    await talk.prompt("@slow");
    await talk.until((event) => event.type === "message_chunk" && event.text.includes("tick"), from);
    await client.call("POST /runs/{run}/interrupt", { params: { run: talk.run }, body: {} });
    expect(await talk.untilType("complete", from)).toMatchObject({ outcome: "interrupted" });

    await talk.turn("the magic word is xyzzy");
    const option = (await talk.detail()).options.find((one) => (one as { category?: string }).category === "model");
    const { id } = option as { id: string };
    const params = { run: talk.run, option: id };
    await client.call("PUT /runs/{run}/options/{option}", { params, body: { value: agent.models[1] ?? "" } });
    from = talk.events.length;
    await talk.turn("which model are you?");
    expect(talk.said(from)).toContain(agent.models[1]);
    await talk.stop();

    first.child.kill("SIGTERM");
    await until(() => first.child.exitCode !== null);
    const second = await serve(stage);
    onTestFinished(() => void second.child.kill());
    const later = new Conversation(second.client, talk.run);
    await later.ended();
    expect(later.events).toEqual(talk.events);
    const { run_id, resumed } = await later.prompt("@recall");
    expect(resumed).toBe(true);
    const next = new Conversation(second.client, run_id);
    expect(await next.untilType("complete")).toMatchObject({ outcome: "completed" });
    expect(next.said()).toContain("xyzzy");
    from = next.events.length;
    await next.turn("which model are you?");
    expect(next.said(from)).toContain(agent.models[1]);
    await next.stop();
  });
});
