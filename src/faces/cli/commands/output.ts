import { existsSync } from "node:fs";
import { runName } from "../../../contract/ids.ts";
import { openRun } from "../../../core/runs/run-access.ts";
import { readEvents } from "../../../core/store/events/event-reader.ts";
import { command } from "../../../lib/command/command.ts";
import { writeAll } from "../../../lib/command/write-all.ts";
import { readChunks } from "../../../lib/files/regular-file.ts";
import { printable } from "../../../lib/text/printable.ts";
import { runSocket } from "../run-socket.ts";

export default command({
  name: "output",
  summary: "Print what a run produced: its output.md, or what it said so far.",
  usage: "cox output RUN",
  words: [1, 1],
  options: {},
  examples: ["cox output latest > answer.md"],
  async run({ positionals }, context) {
    const socket = runSocket(context.env);
    if (socket !== undefined) {
      return (await import("../through-socket.ts")).outputThroughSocket(socket, positionals[0] ?? "", context);
    }
    const { run, info } = await openRun(context, positionals[0] ?? "");
    const { stdout } = context;
    if (existsSync(run.paths.output)) {
      await writeAll(stdout, stdout.isTTY ? asText(run.paths.output) : readChunks(run.paths.output));
      return 0;
    }
    await writeAll(stdout, said(run.paths.events));
    if (info.status === "running")
      context.stderr.write(`cox: run ${runName(info)} still runs; this is what it said so far\n`);
    return 0;
  },
});

/** A terminal gets no control characters; a file gets the bytes. */
function* asText(path: string): Generator<string> {
  yield printable(Buffer.concat([...readChunks(path)]).toString("utf8"));
}

/** Its messages, one after the other, without what subagents said among themselves. */
function* said(eventsPath: string): Generator<string> {
  let current: string | undefined;
  for (const batch of readEvents(eventsPath)) {
    for (const event of batch) {
      if (event.type !== "message_chunk" || event.parentToolCallId !== undefined) continue;
      if (current !== undefined && current !== event.messageId) yield "\n\n";
      current = event.messageId;
      yield printable(event.text);
    }
  }
  if (current !== undefined) yield "\n";
}
