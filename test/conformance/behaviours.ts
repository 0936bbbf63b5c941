import { expect } from "vitest";
import { discover } from "../../src/core/agents/discovery/discovery.ts";
import { defaultModel } from "../../src/core/agents/discovery/models.ts";
import { versionOf } from "../../src/core/agents/discovery/version.ts";
import { Registry } from "../../src/core/agents/registry/registry.ts";
import { processesWithEnv } from "../../src/lib/process/holders/identity.ts";
import { root } from "../support/cox.ts";
import { Conversation } from "./conversation.ts";
import type { Subject } from "./subject.ts";
import { exists, infoOf, required, talk } from "./talk.ts";

/** What every agent must do, real or fake. The name is the row of the table in the documentation. */
export type Behaviour = (subject: Subject) => Promise<void>;

export const behaviours: Readonly<Record<string, Behaviour>> = {
  "found, with its version and default profile": async (subject) => {
    const { callerEnv, plan } = await subject.spec();
    const definition = new Registry().get(subject.name);
    const own = { node: process.execPath, package: root };
    const found = discover(definition, { env: { ...callerEnv, ...plan.env }, platform: process.platform, own });
    expect(found.state).toBe("installed");
    expect(found.profile).toEqual({ agent: subject.name, model: defaultModel(definition) ?? "" });
    if (subject.version === undefined) return;
    const env = { PATH: callerEnv.PATH ?? "", HOME: callerEnv.HOME ?? "" };
    expect(await versionOf([found.program ?? ""], env, 30_000)).toBe(subject.version);
  },

  "opens and says hello": async (subject) => {
    const { events } = await talk(subject, {}, async (conversation) => {
      const turn = await conversation.turn(subject.say.hello);
      expect(turn.text).not.toBe("");
      expect(turn.end.outcome).toBe("completed");
    });
    expect(events.find((event) => event.type === "session_status")).toMatchObject({ status: "new" });
    expect(events.at(-1)).toMatchObject({ type: "session_status", status: "closed" });
  },

  "streams text in order": async (subject) => {
    await talk(subject, {}, async (conversation) => {
      await conversation.prompt(subject.say.slow);
      await conversation.next("message_chunk", 0, (event) => event.text.includes("tick 3"));
      expect(conversation.text.replace(/\s+/g, " ")).toContain("tick 1 tick 2 tick 3");
    });
  },

  "shows its thinking": async (subject) => {
    await talk(subject, {}, async (conversation) => {
      const turn = await conversation.turn(required(subject.say.think));
      expect(turn.thoughts).not.toBe("");
    });
  },

  "tool call with title and result": async (subject) => {
    await talk(subject, { permissions: "allow" }, async (conversation) => {
      const turn = await conversation.turn(subject.say.shell("made.txt"));
      const [tool] = turn.tools;
      expect(tool?.status).toBe("completed");
      const said = [tool?.call, ...(tool?.updates ?? [])];
      expect(said.map((event) => event?.toolTitle ?? "").join(" ")).toContain("made.txt");
      expect(exists(conversation, "made.txt")).toBe(true);
    });
  },

  "tool call with its arguments": async (subject) => {
    await talk(subject, { permissions: "allow" }, async (conversation) => {
      const turn = await conversation.turn(subject.say.shell("made.txt"));
      const args = turn.tools.flatMap(({ call, updates }) => [call, ...updates].map((event) => event.toolArgs));
      expect(JSON.stringify(args)).toContain("touch made.txt");
    });
  },

  "edit with a diff": async (subject) => {
    await talk(subject, { permissions: "allow" }, async (conversation) => {
      const turn = await conversation.turn(subject.say.edit("edited.txt"));
      expect(exists(conversation, "edited.txt")).toBe(true);
      const diffs = turn.tools.flatMap(({ call, updates }) => [call, ...updates].flatMap((event) => event.diffs ?? []));
      expect(diffs.some((diff) => diff.path.endsWith("edited.txt"))).toBe(true);
    });
  },

  "permission asked and allowed": async (subject) => {
    await talk(subject, {}, async (conversation) => {
      await conversation.prompt(subject.say.shell("allowed.txt"));
      const request = await conversation.next("permission_request");
      expect(request.permissionTitle).not.toBe("");
      await conversation.choose(request, "allow");
      const end = await conversation.next("complete");
      expect(end.outcome).toBe("completed");
      expect(exists(conversation, "allowed.txt")).toBe(true);
      const resolved = await conversation.next("request_resolved");
      expect(resolved).toMatchObject({ outcome: "allowed", by: "person", who: "tester" });
    });
  },

  "permission denied with a reason": async (subject) => {
    await talk(subject, {}, async (conversation) => {
      await conversation.prompt(subject.say.shell("denied.txt"));
      const request = await conversation.next("permission_request");
      await conversation.choose(request, "reject", "not on my watch");
      await conversation.next("complete");
      expect(exists(conversation, "denied.txt")).toBe(false);
      const resolved = await conversation.next("request_resolved");
      expect(resolved).toMatchObject({ outcome: "denied", reason: "not on my watch" });
    });
  },

  "the model is told why it was denied": async (subject) => {
    await talk(subject, {}, async (conversation) => {
      await conversation.prompt(subject.say.shell("denied.txt"));
      const request = await conversation.next("permission_request");
      await conversation.choose(request, "reject", "not on my watch");
      await conversation.next("complete");
      expect(conversation.text).toContain("not on my watch");
    });
  },

  "a denied tool is shown as denied": async (subject) => {
    await talk(subject, { permissions: "deny" }, async (conversation) => {
      const turn = await conversation.turn(subject.say.shell("denied.txt"));
      expect(turn.tools.map(({ status }) => status)).toContain("denied");
    });
  },

  "permission answered late": async (subject) => {
    await talk(subject, {}, async (conversation) => {
      await conversation.prompt(subject.say.shell("late.txt"));
      const request = await conversation.next("permission_request");
      await new Promise((resolve) => setTimeout(resolve, 3000));
      await conversation.choose(request, "allow");
      expect((await conversation.next("complete")).outcome).toBe("completed");
      expect(exists(conversation, "late.txt")).toBe(true);
    });
  },

  "two requests at once, answered out of order": async (subject) => {
    await talk(subject, {}, async (conversation) => {
      await conversation.prompt(required(subject.say.two));
      const first = await conversation.next("permission_request");
      const second = await conversation.soon("permission_request", (event) => event.pendingId !== first.pendingId);
      await conversation.choose(second, "allow");
      await conversation.choose(first, "allow");
      expect((await conversation.next("complete")).outcome).toBe("completed");
    });
  },

  "permission cancelled by an interrupt": async (subject) => {
    await talk(subject, {}, async (conversation) => {
      await conversation.prompt(subject.say.shell("never.txt"));
      const request = await conversation.next("permission_request");
      await conversation.run.send({ type: "interrupt", by: "tester" });
      const resolved = await conversation.next("request_resolved");
      expect(resolved).toMatchObject({ pendingId: request.pendingId, outcome: "cancelled" });
      expect((await conversation.next("complete")).outcome).toBe("interrupted");
      expect(exists(conversation, "never.txt")).toBe(false);
    });
  },

  "a question answered": async (subject) => {
    await talk(subject, {}, async (conversation) => {
      await conversation.prompt(required(subject.say.question));
      const request = await conversation.next("question_request");
      const [question] = request.questions;
      expect(question?.choices?.map(({ label }) => label)).toContain("blue");
      const value = question?.choices?.find(({ label }) => label === "blue")?.value ?? "blue";
      await conversation.answer(request.pendingId, { answers: { [question?.id ?? ""]: [value] } });
      await conversation.next("complete");
      expect(conversation.text).toContain("blue");
    });
  },

  "interrupt, then a follow-up": async (subject) => {
    await talk(subject, {}, async (conversation) => {
      await conversation.prompt(subject.say.slow);
      await conversation.next("message_chunk", 0, (event) => event.text.includes("tick"));
      await conversation.run.send({ type: "interrupt" });
      expect((await conversation.next("complete")).outcome).toBe("interrupted");
      const turn = await conversation.turn(subject.say.hello);
      expect(turn.end.outcome).toBe("completed");
      expect(turn.text).not.toBe("");
    });
  },

  "a follow-up remembers": async (subject) => {
    await talk(subject, {}, async (conversation) => {
      await conversation.turn(subject.say.remember("xyzzy"));
      const turn = await conversation.turn(subject.say.recall);
      expect(turn.text).toContain("xyzzy");
    });
  },

  "a resume in a new process remembers": async (subject) => {
    const first = await talk(subject, {}, async (conversation) => {
      await conversation.turn(subject.say.remember("plugh"));
    });
    const resume = await first.run.ended;
    await talk(subject, { resume }, async (conversation) => {
      const turn = await conversation.turn(subject.say.recall);
      expect(turn.text).toContain("plugh");
      expect(conversation.events.find((event) => event.type === "session_status")).toMatchObject({ status: "resumed" });
    });
  },

  "model switch takes effect": async (subject) => {
    const [from, to] = subject.models;
    const bare = (model: string) => model.slice(model.indexOf("/") + 1); // its server knows nothing of providers
    await talk(subject, { model: from }, async (conversation) => {
      expect((await conversation.turn(subject.say.model)).text).toContain(bare(from));
      await conversation.run.send({ type: "set_option", id: "model", value: to });
      expect((await conversation.turn(subject.say.model)).text).toContain(bare(to));
    });
  },

  "MCP tool called": async (subject) => {
    await talk(subject, { mcp: true, permissions: "allow" }, async (conversation) => {
      const turn = await conversation.turn(required(subject.say.mcp));
      expect(turn.tools.map(({ result }) => result).join(" ") + turn.text).toContain("pong");
    });
  },

  "usage as the model's server counted it": async (subject) => {
    await talk(subject, {}, async (conversation) => {
      const { end } = await conversation.turn(subject.say.hello);
      const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = end.usage ?? {};
      expect({ input: input + cacheRead + cacheWrite, output }).toEqual(subject.counted.usage);
    });
  },

  "context window as the model's server counted it": async (subject) => {
    await talk(subject, {}, async (conversation) => {
      const turn = await conversation.turn(subject.say.hello);
      const window = turn.all("context_window").at(-1);
      expect(window?.used).toBe(subject.counted.context);
      expect(window?.size).toBeGreaterThan(window?.used ?? 0);
    });
  },

  "killed in mid-turn: one complete, failed": async (subject) => {
    const { events, run } = await talk(subject, {}, async (conversation) => {
      await conversation.prompt(subject.say.slow);
      await conversation.next("message_chunk", 0, (event) => event.text.includes("tick"));
      const pgid = infoOf(conversation)?.pgid ?? 0;
      expect(pgid).toBeGreaterThan(1);
      process.kill(-pgid, "SIGKILL");
      await conversation.run.ended;
    });
    const ends = events.filter((event) => event.type === "complete");
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatchObject({ outcome: "failed" });
    expect(await run.ended).toMatchObject({ status: "failed", reason: "signal", exit_code: 137 });
  },

  "not installed: says how to install it": async (subject) => {
    const { install_command } = new Registry().get(subject.name);
    await expect(subject.spec({ missing: true })).rejects.toMatchObject({
      code: "agent.not_installed",
      message: expect.stringContaining(install_command),
    });
  },

  "gone when it is started: one failed run": async (subject) => {
    const spec = await subject.spec();
    const conversation = new Conversation({ ...spec, plan: { ...spec.plan, argv: ["no-such-program-anywhere"] } });
    const info = await conversation.run.ended;
    expect(info).toMatchObject({ status: "failed", reason: "spawn_failed", exit_code: 127 });
    expect(info.error_summary).toContain("no-such-program-anywhere: not found on PATH");
  },

  "nothing of it is left after the end": async (subject) => {
    const { run } = await talk(subject, {}, async (conversation) => {
      await conversation.turn(subject.say.hello);
    });
    expect(processesWithEnv("COX_RUN_ID", run.runId)).toEqual([]);
  },
};
