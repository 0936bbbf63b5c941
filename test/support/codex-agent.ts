import type { Answer, Command } from "../../src/contract/commands.ts";
import { codex } from "../../src/core/protocols/codex/session.ts";
import type { OpenOptions } from "../../src/core/protocols/protocol.ts";
import { objectOf } from "../../src/core/protocols/read.ts";
import { FakeClock } from "./fake-clock.ts";
import { EventReader, openOptions, ScriptedAgent } from "./scripted-agent.ts";

export type Wire = Record<string, unknown>;
type Script = (message: Wire, agent: ScriptedAgent, turnId: string) => void;

/** Answers the handshake and begins turns as the app-server does; what follows is the test's. */
export function agent(script: Script = () => {}): ScriptedAgent {
  let turns = 0;
  return new ScriptedAgent((message, agent) => {
    const reply = (result: object) => agent.say({ id: message.id, result });
    switch (message.method) {
      case "initialize":
        reply({ userAgent: "coxswain/0.166.0 (Debian)" });
        break;
      case "model/list":
        agent.say({ id: message.id, error: { code: -32600, message: "no list" } });
        break;
      case "thread/start":
      case "thread/resume":
      case "thread/fork":
        reply({ thread: { id: "th" }, model: "gpt", approvalPolicy: "untrusted" });
        break;
      case "turn/start":
        turns += 1;
        reply({ turn: { id: `turn-${turns}` } });
        agent.say(notify("turn/started", { turn: { id: `turn-${turns}` } }));
        break;
    }
    script(message, agent, `turn-${turns}`);
  });
}

export const notify = (method: string, params: object = {}) => ({ method, params: { threadId: "th", ...params } });
export const says = (text: string) => notify("item/agentMessage/delta", { itemId: "m", delta: text });
export const ends = (id: string, status = "completed") => notify("turn/completed", { turn: { id, status } });
export const asks = (id: number, fields: object = {}) => ({
  id,
  ...notify("item/commandExecution/requestApproval", { itemId: `call-${id}`, command: "ls", cwd: "/work", ...fields }),
});
export const offline = notify("error", {
  willRetry: true,
  error: { message: "Reconnecting... waiting for network", codexErrorInfo: { responseStreamDisconnected: {} } },
});

export const isMethod = (method: string) => (message: Wire) => message.method === method;
export const resultFor = (script: ScriptedAgent, id: number) =>
  script
    .hears((message) => message.id === id && message.method === undefined)
    .then((message) => objectOf(message.result));

export async function openCodex(script: ScriptedAgent, options: Partial<OpenOptions> = {}, clock = new FakeClock()) {
  const session = await codex(clock).open(script.launch, openOptions(options), new AbortController().signal);
  return { session, events: new EventReader(session) };
}

export const prompt = (text: string, delivery: "queue" | "steer" = "queue"): Command => ({
  type: "prompt",
  promptId: "p",
  content: [{ type: "text", text }],
  delivery,
});
export const answer = (pendingId: string, given: Answer): Command => ({ type: "answer", pendingId, answer: given });
