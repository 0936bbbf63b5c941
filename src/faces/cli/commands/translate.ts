import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { AppError, messageOf } from "../../../contract/errors.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import { addEvent, emptyTranscript, finalAnswer, type Transcript } from "../../../contract/sessions/transcript.ts";
import { formatExactCost } from "../../../contract/words/figures.ts";
import { openLogReader, readableProtocols } from "../../../core/protocols/log-reader.ts";
import { command } from "../../../lib/command/command.ts";
import { type Line, linesOf } from "../../../lib/text/lines.ts";
import { printable, printableJson } from "../../../lib/text/printable.ts";

export default command({
  name: "translate",
  summary: "Turn an agent's saved output into events.",
  usage: "cox translate --protocol P [FILE|-]",
  words: [0, 1],
  options: {
    protocol: { short: "p", value: "P", help: readableProtocols.join(", ") },
    summary: { help: "print turns, tools, usage, cost and the final answer instead" },
  },
  examples: ["kubectl logs my-pod | cox translate -p claude-code --summary", "cox translate -p codex-exec saved.jsonl"],
  async run({ values, positionals }, { cwd, stdin, stdout, stderr }) {
    if (values.protocol === undefined) {
      throw new AppError("usage.invalid", `cox translate: which protocol? --protocol ${readableProtocols.join("|")}`);
    }
    const reader = await openLogReader(values.protocol);
    const [file = "-"] = positionals;
    const input: AsyncIterable<Uint8Array> = file === "-" ? stdin : createReadStream(resolve(cwd, file));
    const transcript = emptyTranscript();
    const sample: Line[] = [];
    const take = (events: readonly AgentEvent[]) => {
      if (values.summary) for (const event of events) addEvent(transcript, event);
      else if (events.length > 0) stdout.write(events.map((event) => `${printableJson(event)}\n`).join(""));
    };
    try {
      for await (const lines of linesOf(input)) {
        sample.push(...lines.slice(0, SAMPLE - sample.length));
        for (const line of lines) take(reader.read(line));
      }
    } catch (error) {
      throw new AppError("usage.invalid", `cox translate: read ${file}: ${messageOf(error)}`, {}, { cause: error });
    }
    take(reader.end("the stream ends here"));
    if (values.summary) stdout.write(summaryOf(transcript));
    const doubt = await doubtAbout(values.protocol, file, sample);
    if (doubt === undefined) return 0;
    if (doubt.isCertain) throw new AppError("usage.invalid", `cox translate: ${doubt.text}`);
    stderr.write(`cox: ${doubt.text}\n`);
    return 0;
  },
});

/** Lines that are read as every protocol. */
const SAMPLE = 100;

/** Whether its lines look like another protocol's; certain where not a line of it was understood. */
async function doubtAbout(protocol: string, file: string, sample: readonly Line[]) {
  const counts = await Promise.all(
    readableProtocols.map(async (name) => {
      const reader = await openLogReader(name);
      const understood = sample.filter((line) => reader.read(line).some(({ type }) => type !== "unmapped"));
      return { name, count: understood.length };
    }),
  );
  const own = counts.find(({ name }) => name === protocol)?.count ?? 0;
  const best = counts.reduce((most, next) => (next.count > most.count ? next : most));
  if (sample.length === 0 || (own > 0 && best.count <= own)) return undefined;
  const what = file === "-" ? "stdin" : file;
  const match = own === 0 ? `nothing in ${what} matches ${protocol}` : `little in ${what} matches ${protocol}`;
  const others = readableProtocols.filter((name) => name !== protocol).join(", ");
  const instead = best.count > 0 ? `; it looks like ${best.name}: cox translate -p ${best.name}` : `, nor ${others}`;
  return { isCertain: own === 0, text: `${match}${instead}` };
}

function summaryOf({ turns, items, usage }: Transcript): string {
  const tools = items.flatMap((item) => (item.kind === "tool" ? [item.tool] : []));
  const errors = items.flatMap((item) => (item.kind === "error" ? [item.error] : []));
  const rows = [
    ["turns", String(turns)],
    ["tools", String(tools.length)],
    ...tools.map((tool) => ["", `${tool.toolStatus}  ${tool.toolName}  ${tool.toolTitle}`]),
    ["tokens", `${usage.input} in, ${usage.output} out`],
    ["cost", usage.costUsd === undefined ? "not reported" : formatExactCost(usage.costUsd)],
    ...errors.map((error) => ["error", `${error.category}: ${error.message}`]),
  ];
  const table = rows.map(([left = "", right = ""]) => `${left.padEnd(8)}${printable(right).replaceAll("\n", " ")}\n`);
  return `${table.join("")}\n${printable(finalAnswer(items))}\n`;
}
