import type { AgentEvent } from "../../src/contract/events.ts";
import { LiveSession } from "../../src/core/sessions/live-session.ts";
import { Channel } from "../../src/lib/base/channel.ts";
import { systemClock } from "../../src/lib/base/clock.ts";
import type { Comparison } from "../measure/figure.ts";

const SESSIONS = 200;
const KB = 1024;

/** Idle conversations in one process, after some talk, against what we allow each. */
export function sessions(): Comparison[] {
  return [
    {
      name: "sessions: memory of 200 idle ones, of 200 KB each",
      must: 1,
      aim: 0.2,
      rounds: 3,
      baseline: () => SESSIONS * 200 * KB,
      async subject() {
        globalThis.gc?.();
        const before = process.memoryUsage().heapUsed;
        const held = Array.from({ length: SESSIONS }, talked);
        await new Promise((resolve) => setTimeout(resolve, 200));
        globalThis.gc?.();
        const used = process.memoryUsage().heapUsed - before;
        for (const { says } of held) says.end();
        return used;
      },
    },
  ];
}

function talked() {
  const says = new Channel<AgentEvent>();
  const session = new LiveSession(
    { events: says, send: async () => {}, close: async () => says.end() },
    { policy: { default: "ask" }, clock: systemClock },
  );
  void (async () => {
    for await (const _ of session.events);
  })();
  says.push({ type: "session_status", status: "new", sessionId: "s" });
  for (let turn = 1; turn <= 5; turn += 1) {
    says.push({ type: "turn_started", turn: `t${turn}` });
    for (let i = 0; i < 100; i += 1)
      says.push({ type: "message_chunk", turn: `t${turn}`, messageId: "m", text: `word ${i} ` });
    says.push({ type: "complete", turn: `t${turn}`, outcome: "completed" });
  }
  return { session, says };
}
