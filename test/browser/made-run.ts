import type { AgentEvent } from "../../src/contract/events.ts";
import { blankRunInfo, formatRunInfo } from "../../src/contract/runs/run.ts";
import type { TestServer } from "./server.ts";

/** A finished run with these events, as if it had happened. */
export async function importRun(server: TestServer, name: string, events: readonly AgentEvent[]): Promise<string> {
  const run_id = `20260101-0000000000-0000001-${String(made++).padStart(4, "0")}`;
  const at = "2026-01-01T00:00:00.000Z";
  const lines = events.map((event, i) => JSON.stringify({ seq: i + 1, at, ...event }));
  const closed = JSON.stringify({
    seq: events.length + 1,
    at,
    type: "session_status",
    status: "closed",
    reason: "done",
  });
  const info = {
    ...blankRunInfo,
    run_id,
    project_id: "made",
    task_id: name,
    agent: "demo",
    start_time: at,
    end_time: at,
    exit_code: 0,
    status: "completed" as const,
    cwd: server.scene.workspace,
  };
  await server.api.call("POST /runs/import", {
    body: {
      run_id,
      project: "made",
      task: name,
      title: name,
      files: { "run-info.yaml": formatRunInfo(info), "events.jsonl": `${[...lines, closed].join("\n")}\n` },
    },
  });
  return run_id;
}

let made = 1;

/** A conversation as long as wanted: turns of words, thoughts and tools. */
export function conversation(length: number): AgentEvent[] {
  const events: AgentEvent[] = [{ type: "session_status", status: "new", sessionId: "s" }];
  for (let n = 1; events.length < length; n += 1) {
    const turn = `t${n}`;
    events.push(
      {
        type: "user_message",
        promptId: `p${n}`,
        turn,
        content: [{ type: "text", text: `Question ${n}` }],
        delivery: "start",
      },
      { type: "turn_started", turn },
      { type: "reasoning", turn, messageId: `r${n}`, text: `Thinking about question ${n}.` },
    );
    for (let i = 1; i <= 3; i += 1) {
      const toolCallId = `c${n}-${i}`;
      events.push(
        {
          type: "tool_call",
          turn,
          toolCallId,
          toolName: "Bash",
          toolTitle: `make step-${n}-${i}`,
          kind: "execute",
          toolStatus: "running",
        },
        { type: "tool_update", turn, toolCallId, outputChunk: `line one of ${n}\nline two\n` },
        { type: "tool_update", turn, toolCallId, toolStatus: "completed", exitCode: 0, result: "line one\nline two\n" },
      );
    }
    for (let i = 0; i < 12; i += 1)
      events.push({ type: "message_chunk", turn, messageId: `m${n}`, text: `Words **${i}** of answer ${n}. ` });
    events.push({ type: "complete", turn, outcome: "completed", usage: { input: 100, output: 20 } });
  }
  return events.slice(0, length - 1);
}
