import type { AgentEvent, RecordedEvent } from "../../../../../contract/events.ts";
import { systemClock } from "../../../../../lib/base/clock.ts";
import { createView } from "../../index.ts";

/** For a test in a real terminal: an agent that asks for something, and prints what it was told. */
const { env, stdin, stdout, stderr } = process;
const view = createView({
  context: { env, cwd: "/", stdin, stdout, stderr, clock: systemClock, onOutputGone: () => {} },
  style: "live",
  interactive: true,
  header: { run_id: "R", handle: 0, agent: "scene", model: "", cwd: "/" },
  send: async (command) => {
    leave(`TOLD ${JSON.stringify(command.type === "answer" ? command.answer : command)}`);
  },
  readBody: String,
  onInterruptKey: () => leave("INTERRUPTED"),
  onEnd: () => leave("ENDED"),
});

const events: AgentEvent[] = [
  { type: "session_status", status: "new", sessionId: "s" },
  { type: "turn_started", turn: "t" },
  { type: "message_chunk", messageId: "m", text: "May I?" },
];
if (process.argv[2] === "ask") {
  events.push({
    type: "permission_request",
    pendingId: "p0",
    permissionTitle: "Run ls",
    source: "protocol",
    actionType: "execute",
    actionDetails: { command: "ls" },
    permissionOptions: [
      { id: "y", label: "Yes", kind: "allow_once" },
      { id: "n", label: "No", kind: "reject_once" },
    ],
  });
}
view.show(events.map((event, index): RecordedEvent => ({ seq: index + 1, at: new Date().toISOString(), ...event })));

/** What the terminal is like afterwards can be seen from outside: it echoes again. */
function leave(word: string): void {
  view.close();
  stdout.write(`${word}\n`);
}
