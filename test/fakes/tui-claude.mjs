#!/usr/bin/env node
// A program that looks like Claude to a terminal host: a prompt on the screen, and its conversation as a log under ~/.claude.
//   tui-claude.mjs [--session-id U | --resume U] …
// TUI_CLAUDE_NOTES=file gets one JSON line per start and per signal.
import fs from "node:fs";
import path from "node:path";

const valueOf = (flag) => {
  const at = process.argv.indexOf(flag);
  return at === -1 ? undefined : process.argv[at + 1];
};
const resumed = valueOf("--resume");
const id = resumed ?? valueOf("--session-id") ?? "none";
const folder = path.join(process.env.HOME, ".claude/projects", process.cwd().replace(/[^a-zA-Z0-9]/g, "-"));
const log = path.join(folder, `${id}.jsonl`);
const note = (entry) => {
  if (process.env.TUI_CLAUDE_NOTES) fs.appendFileSync(process.env.TUI_CLAUDE_NOTES, `${JSON.stringify(entry)}\n`);
};
note({ pid: process.pid, id, resumed: resumed !== undefined, args: process.argv.slice(2), ppid: process.ppid });
if (resumed !== undefined && !fs.existsSync(log)) {
  console.log(`No conversation found with session ID: ${id}`);
  process.exit(1);
}
fs.mkdirSync(folder, { recursive: true });
const write = (entry) => fs.appendFileSync(log, `${JSON.stringify({ sessionId: id, ...entry })}\n`);
const said = () =>
  fs.existsSync(log)
    ? fs
        .readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .filter(({ type }) => type === "user")
        .map(({ message }) => message.content)
    : [];

const line = "─".repeat(60);
const draw = (text) =>
  process.stdout.write(`\x1b[2J\x1b[H${text}\n\n${line}\n❯ \n${line}\n  ? for shortcuts\x1b[2A\r\x1b[2C`);
const turn = (prompt) => {
  write({ type: "user", message: { role: "user", content: prompt } });
  draw(`● So far you said: ${said().join(" | ")}`);
  write({ type: "assistant", message: { role: "assistant", content: [{ type: "text", text: "ok" }] } });
  note({ prompt });
};
process.stdin.setRawMode?.(true);
let typed = "";
process.stdin.on("data", (chunk) => {
  for (const char of String(chunk)) {
    if (char === "\r") {
      if (typed.trim() !== "") turn(typed.trim());
      typed = "";
    } else if (char >= " ") typed += char;
  }
});
for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) {
  process.on(signal, () => {
    note({ signal, at: Date.now() });
    process.exit(signal === "SIGTERM" ? 0 : 129);
  });
}
draw(said().length === 0 ? "Welcome" : `● So far you said: ${said().join(" | ")}`);
