import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AcpMessage } from "../../src/core/protocols/acp/messages.ts";
import { acpTranslator } from "../../src/core/protocols/acp/translate.ts";
import { parseLine } from "../../src/core/protocols/link.ts";
import { Recorder } from "../../src/core/runner/recorder.ts";
import { Blobs } from "../../src/core/store/blobs.ts";
import { EventLog } from "../../src/core/store/events/event-log.ts";
import { systemClock } from "../../src/lib/base/clock.ts";
import { type Line, LineSplitter } from "../../src/lib/text/lines.ts";
import type { Comparison } from "../measure/figure.ts";
import { root, temporary } from "../scenes/scene.ts";

const COPIES = 20;
const CHUNK = 64 * 1024;

/** The whole way of an agent's output into the log, against parsing the same lines and nothing else. */
export function stream(): Comparison[] {
  const lines = recorded().filter((line) => line !== "");
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const { folder } = temporary();
  let n = 0;
  return [
    {
      name: "stream: split + parse + normalize + journal, of JSON.parse",
      figure: "rate",
      headline: true,
      must: 0.35,
      aim: 0.5,
      rounds: 15,
      baseline() {
        const begin = process.cpuUsage();
        for (const line of lines) JSON.parse(line);
        return cpu(begin);
      },
      subject() {
        n += 1;
        const log = new EventLog(join(folder, `${n}.jsonl`));
        const recorder = new Recorder(log, new Blobs(join(folder, "blobs")), systemClock, (error) => {
          throw error;
        });
        const begin = process.cpuUsage();
        const splitter = new LineSplitter();
        let state = acpTranslator.initial();
        const receive = (line: Line) => {
          const parsed = parseLine<AcpMessage>("acp", line);
          if (!("message" in parsed)) return;
          const [next, events] = acpTranslator.step(state, { dir: "received", message: parsed.message });
          state = next;
          for (const event of events) recorder.record(event);
        };
        for (let at = 0; at < bytes.length; at += CHUNK) {
          for (const line of splitter.push(bytes.subarray(at, at + CHUNK))) receive(line);
          recorder.flush();
        }
        const took = cpu(begin);
        recorder.close();
        return took;
      },
    },
  ];
}

const cpu = (begin: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(begin);
  return user + system;
};

/** What real agents said over ACP, several times over. */
function recorded(): string[] {
  const names = ["acp-claude-session", "acp-opencode-session", "acp-gemini-session", "acp-codexnew-session"];
  const once = names.flatMap((name) =>
    readFileSync(join(root, "test/transcripts", `${name}.jsonl`), "utf8")
      .split("\n")
      .filter((line) => line.includes('"dir":"out"'))
      .map((line) => JSON.stringify((JSON.parse(line) as { msg: unknown }).msg)),
  );
  return Array.from({ length: COPIES }, () => once).flat();
}
