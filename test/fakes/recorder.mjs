// Starts a program and writes down what goes in and comes out, line by line, as test/transcripts has it: {t, dir, msg}.
//   node recorder.mjs FILE PROGRAM ARGS…
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { basename } from "node:path";

const [file, program, ...args] = process.argv.slice(2);
const began = Date.now();
const note = (record) => appendFileSync(file, `${JSON.stringify({ t: Date.now() - began, ...record })}\n`);

/** Passes everything on at once; a line is written down when it is whole. */
function tee(from, to, dir) {
  let rest = "";
  from.on("data", (chunk) => {
    to?.write(chunk);
    rest += chunk;
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) if (line !== "") note({ dir, msg: parsed(line) });
  });
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

note({ meta: "spawn", cmd: basename(program), args });
const child = spawn(program, args, { stdio: "pipe" });
tee(process.stdin.setEncoding("utf8"), child.stdin, "in");
tee(child.stdout.setEncoding("utf8"), process.stdout, "out");
tee(child.stderr.setEncoding("utf8"), undefined, "stderr");
process.stdin.on("end", () => child.stdin.end());
child.stdin.on("error", () => {}); // it is gone: its exit tells
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal));
child.on("close", (code, signal) => {
  note({ meta: "exit", code, signal });
  process.exit(code ?? 1);
});
