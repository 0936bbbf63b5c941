import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** For tests: a machine of its own, with a home, a COX_HOME, a PATH and whatever programs are put on it. */
export class TestMachine {
  readonly root = mkdtempSync(join(tmpdir(), "cox-machine-"));
  readonly home = join(this.root, "home");
  readonly cox = join(this.root, "cox");
  readonly bin = join(this.root, "bin");
  readonly env: NodeJS.ProcessEnv = { HOME: this.home, COX_HOME: this.cox, PATH: this.bin };

  constructor() {
    for (const folder of [this.home, this.cox, this.bin]) mkdirSync(folder, { mode: 0o700 });
  }

  /** A program that tells its version. */
  program(name: string, script = "echo 1.2.3"): void {
    writeFileSync(join(this.bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(this.bin, name), 0o755);
  }

  /** A program that speaks ACP, answers "ready", and writes down how it was started. */
  acpAgent(name: string): void {
    writeFileSync(join(this.bin, name), acpScript(join(this.root, `${name}.json`)));
    chmodSync(join(this.bin, name), 0o755);
  }

  /** How that program was started, and what it was asked. */
  started(name: string): { argv: string[]; env: Record<string, string>; asked: { method: string; params: unknown }[] } {
    return JSON.parse(readFileSync(join(this.root, `${name}.json`), "utf8"));
  }

  wasStarted(name: string): boolean {
    return existsSync(join(this.root, `${name}.json`));
  }

  file(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  agents(...entries: object[]): void {
    this.file(join(this.cox, "agents.json"), JSON.stringify({ agents: entries }));
  }

  profile(name: string, text: string): void {
    this.file(join(this.cox, "profiles", `${name}.yaml`), text);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

const acpScript = (file: string) => `#!${process.execPath}
const fs = require("node:fs");
if (process.argv.includes("--version")) { console.log("9.8.7"); process.exit(0); }
const asked = [];
const note = () => fs.writeFileSync(${JSON.stringify(file)}, JSON.stringify({ argv: process.argv.slice(2), env: process.env, asked }));
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const model = { id: "model", name: "Model", category: "model", type: "select", currentValue: "a", options: [] };
const effort = { id: "effort", name: "Effort", category: "thought_level", type: "select", currentValue: "low", options: [] };
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  asked.push({ method, params });
  note();
  const answer = (result) => say({ id, result });
  if (method === "initialize") return answer({ protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: "x", version: "9.8.7" } });
  if (method === "session/new" && process.env.NO_LOGIN) return say({ id, error: { code: -32000, message: "Authentication required" } });
  if (method === "session/new") return answer({ sessionId: "s-new", configOptions: [model, effort] });
  if (method !== "session/prompt") return answer({});
  const content = { type: "text", text: "ready" };
  say({ method: "session/update", params: { sessionId: "s-new", update: { sessionUpdate: "agent_message_chunk", content } } });
  answer({ stopReason: "end_turn", usage: { inputTokens: 12, outputTokens: 3, totalTokens: 15 } });
}).on("close", () => process.exit(0));
`;
