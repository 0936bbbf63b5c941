import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findExecutable } from "../src/lib/process/path/executable.ts";
import { Conversation } from "../test/conformance/conversation.ts";
import type { Subject } from "../test/conformance/subject.ts";
import { agents } from "../test/real-agents/agents/index.ts";
import install from "../test/real-agents/install.ts";
import { startModelServer } from "../test/real-agents/model-server.ts";
import { type RealAgent, realSubject } from "../test/real-agents/real-agent.ts";
import { root } from "../test/support/cox.ts";

/** Which recording is a whole session of which agent. */
const recordings: Readonly<Record<string, string>> = {
  claude: "claude-session",
  codex: "codex-appserver-session",
  gemini: "acp-gemini-session",
  opencode: "acp-opencode-session",
  "claude-acp": "acp-claude-session",
  "codex-acp": "acp-codexnew-session",
};

const usage = `Usage: npm run transcripts -- [--to FOLDER] [AGENT…]

Records a session of each agent anew, by default over test/transcripts. The golden events follow with UPDATE_GOLDEN=1.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: "string" }, help: { type: "boolean" } },
});
if (values.help) console.log(usage);
else await recordAll(values.to ?? join(root, "test/transcripts"), positionals);

async function recordAll(folder: string, names: readonly string[]): Promise<void> {
  install();
  mkdirSync(folder, { recursive: true });
  for (const agent of agents.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const file = join(folder, `${recordings[agent.name]}.jsonl`);
    writeFileSync(file, await record(agent));
    console.log(`${agent.name}: ${file}`);
  }
}

async function record(agent: RealAgent): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "cox-record-"));
  const file = join(folder, "transcript.jsonl");
  const leftovers = [() => rmSync(folder, { recursive: true })];
  const server = await startModelServer(agent.api);
  try {
    const subject = realSubject(agent, server.url, (clean) => void leftovers.push(clean as () => void));
    const { spec, anonymous } = await recorded(subject, file);
    const conversation = new Conversation(spec);
    try {
      await session(conversation, subject);
    } finally {
      await conversation.stop();
    }
    return anonymous(readFileSync(file, "utf8"));
  } finally {
    server.stop();
    for (const clean of leftovers) clean();
  }
}

/** The same run with a recorder between us and the agent, and no trace of this machine in what it writes. */
async function recorded(subject: Subject, file: string) {
  const spec = await subject.spec();
  const [program = "", ...args] = spec.plan.argv;
  const found = findExecutable(program, { path: spec.callerEnv.PATH, cwd: "/" });
  const argv = [process.execPath, join(root, "test/fakes/recorder.mjs"), file, found, ...args];
  const places = [
    [spec.plan.cwd, "/home/dev/workspace"],
    [spec.callerEnv.HOME ?? "", "/home/dev"],
    [spec.callerEnv.TMPDIR ?? "", "/tmp"],
    [root, "/opt/coxswain"],
  ] as const;
  const anonymous = (text: string) => places.reduce((now, [from, to]) => now.replaceAll(from, to), text);
  return { spec: { ...spec, plan: { ...spec.plan, argv } }, anonymous };
}

/** One of everything. */
async function session(conversation: Conversation, { say, models }: Subject): Promise<void> {
  await conversation.turn(say.hello);
  if (say.think !== undefined) await conversation.turn(say.think);
  await asked(conversation, say.shell("allowed.txt"), "allow");
  await asked(conversation, say.shell("denied.txt"), "reject");
  await asked(conversation, say.edit("edited.txt"), "allow");
  const from = conversation.events.length;
  await conversation.prompt(say.slow);
  await conversation.next("message_chunk", from, ({ text }) => text.includes("tick"));
  await conversation.run.send({ type: "interrupt" });
  await conversation.next("complete", from);
  await conversation.run.send({ type: "set_option", id: "model", value: models[1] });
  await conversation.turn(say.recall);
}

/** A turn in which every request gets the same answer. */
async function asked(conversation: Conversation, prompt: string, kind: "allow" | "reject"): Promise<void> {
  const from = conversation.events.length;
  const unwatch = conversation.run.watch((events) => {
    for (const event of events) {
      if (event.type === "permission_request") void conversation.choose(event, kind, "not now");
    }
  });
  await conversation.prompt(prompt);
  await conversation.next("complete", from);
  unwatch();
}
