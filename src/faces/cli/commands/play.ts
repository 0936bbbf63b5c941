import { existsSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import { runName } from "../../../contract/ids.ts";
import { openRun } from "../../../core/runs/run-access.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { writeAll } from "../../../lib/command/write-all.ts";
import { readChunks } from "../../../lib/files/regular-file.ts";
import { makeRaw, restoreModes, terminalModes } from "../../../lib/process/terminal/stty.ts";
import { type CastEvent, type CastHeader, parseCastEvent, parseCastHeader } from "../../../lib/text/asciicast.ts";
import { LineSplitter } from "../../../lib/text/lines.ts";

export default command({
  name: "play",
  summary: "Show a terminal that `cox wrap` recorded, as it was.",
  usage: "cox play RUN [--speed N] [--max-wait SECONDS]",
  words: [1, 1],
  options: {
    speed: { value: "N", help: "N times as fast (1)" },
    "max-wait": { value: "SECONDS", help: "never wait longer than this for the next change" },
  },
  examples: ["cox play latest", "cox play latest --speed 4 --max-wait 1", "cox play latest > all-at-once.txt"],
  async run({ values, positionals }, context) {
    const pace = { speed: above0("--speed", values.speed) ?? 1, maxWait: above0("--max-wait", values["max-wait"]) };
    const { run } = await openRun(context, positionals[0] ?? "");
    if (!existsSync(run.paths.cast)) {
      const name = runName(run);
      const message = `run ${name}: no terminal was recorded; see what it did with \`cox logs ${name}\``;
      throw new AppError("command.unsupported", message);
    }
    return play(run.paths.cast, pace, context);
  },
});

interface Pace {
  speed: number;
  /** In seconds, as it was recorded. */
  maxWait: number | undefined;
}

async function play(path: string, pace: Pace, context: Context): Promise<number> {
  const { stdin, stdout, stderr } = context;
  if (!stdout.isTTY) {
    await writeAll(stdout, allAtOnce(path));
    return 0;
  }
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  // What the recording asks the terminal, the terminal answers: that must not end up on the person's command line.
  const typed = (keys: Buffer | string) => {
    if (String(keys).includes("\x03")) interrupt();
  };
  const modes = stdin.isTTY ? terminalModes() : undefined;
  if (modes !== undefined) {
    makeRaw();
    stdin.on("data", typed).resume();
  }
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  try {
    await writeAll(stdout, inTime(path, pace, { ...context, signal: stop.signal }));
    return stop.signal.aborted ? 130 : 0;
  } finally {
    stdout.write(RESET);
    if (modes !== undefined) {
      stdin.off("data", typed).pause();
      restoreModes(modes);
    }
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    stderr.write("\n");
  }
}

/** Leaves the other screen, shows the cursor, forgets colours, mouse and paste modes: what the recording may have left on. */
const RESET = `\x1b[?1049l\x1b[?25h\x1b[0m${["1000", "1002", "1003", "1006", "2004", "1"].map((mode) => `\x1b[?${mode}l`).join("")}\x1b>`;

function* allAtOnce(path: string): Generator<string> {
  for (const part of castParts(path)) if ("text" in part) yield part.text;
}

async function* inTime(
  path: string,
  { speed, maxWait = Number.POSITIVE_INFINITY }: Pace,
  { stdout, stderr, clock, signal }: Context & { signal: AbortSignal },
): AsyncGenerator<string> {
  let shown = 0;
  let due = clock.monotonic();
  for (const part of castParts(path)) {
    if ("timestamp" in part) {
      if (isSmaller(stdout, part))
        stderr.write(`cox: it was recorded on ${part.width} x ${part.height}; make your terminal as large\n`);
      continue;
    }
    due += (Math.min(Math.max(part.time - shown, 0), maxWait) * 1000) / speed;
    shown = part.time;
    if (due > clock.monotonic()) await clock.sleep(due - clock.monotonic(), signal);
    if (signal.aborted) return;
    if (part.type === "output") yield part.text;
  }
}

const isSmaller = ({ columns, rows }: NodeJS.WriteStream, { width, height }: CastHeader) =>
  columns < width || rows < height;

/** The header first. A line that a crash cut off is passed over. */
function* castParts(path: string): Generator<CastHeader | CastEvent> {
  let header: CastHeader | undefined;
  const splitter = new LineSplitter();
  for (const chunk of readChunks(path)) {
    for (const line of splitter.push(chunk)) {
      if (!("text" in line)) continue;
      if (header === undefined) {
        header = parseCastHeader(line.text);
        if (header === undefined)
          throw new AppError("store.damaged", `${path}: is no asciicast of version 2`, { path });
        yield header;
        continue;
      }
      const event = parseCastEvent(line.text);
      if (event !== undefined) yield event;
    }
  }
}

function above0(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && number > 0) return number;
  throw new AppError("usage.invalid", `${name} ${JSON.stringify(text)}: not a number above 0`);
}
