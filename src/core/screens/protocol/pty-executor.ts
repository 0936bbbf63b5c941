import { closeSync, writeSync } from "node:fs";
import { Channel } from "../../../lib/base/channel.ts";
import { openJournal } from "../../../lib/files/journal-line.ts";
import type { Marker } from "../../../lib/process/stop.ts";
import { startPty } from "../../../lib/process/terminal/pty.ts";

interface StartSpec {
  /** Absolute. */
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  stdoutPath: string;
  marker: Marker;
}

/** On this machine, on a terminal of its own: every byte it prints is in the run's stdout file before anybody reads it. */
export const ptyExecutor = {
  name: "local",
  hasOurPrograms: true,
  network: true,
  inherits: () => true,
  async start(spec: StartSpec) {
    const output = new Channel<Uint8Array>();
    const file = openJournal(spec.stdoutPath);
    const { marker, args, cwd } = spec;
    const env = { ...spec.env, TERM: "xterm-256color" };
    const onData = (chunk: Buffer) => {
      writeSync(file, chunk);
      output.push(chunk);
    };
    const pty = await startPty({
      file: spec.file,
      args,
      cwd,
      env,
      marker,
      cols: 200,
      rows: 50,
      modes: ["sane", "iutf8"],
      onData,
    });
    const exited = pty.exited.then((exit) => {
      closeSync(file);
      output.end();
      return exit;
    });
    return {
      pid: pty.pid,
      pgid: pty.pid,
      startTime: pty.startTime,
      output,
      exited,
      write: async (text: string) => pty.write(Buffer.from(text)),
      end: () => pty.write(Buffer.from("\x04")),
      stderrTail: () => "",
      stop: async (graceMs: number) => {
        await pty.stop(graceMs);
        return exited;
      },
      resize: (cols: number, rows: number) => pty.resize(cols, rows),
    };
  },
} as const;
