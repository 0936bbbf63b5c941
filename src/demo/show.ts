import { existsSync } from "node:fs";
import { join } from "node:path";
import { askQuestion } from "./asking.ts";
import { quote, short } from "./conversation/prompt.ts";
import { textIfThere } from "./text-file.ts";
import { editFile, listDirectory, type Outcome, readTextFile, runCommand } from "./tools.ts";
import { newId, type Turn } from "./turn.ts";

/**
 * What a newcomer sees in the first minute: a bit of everything an agent can do, and every word of it true. The words
 * are scripted, the tools are real.
 */
export async function show(turn: Turn): Promise<void> {
  const earlier = turn.session.earlierPrompts();
  if (earlier.length === 0) await turn.update({ sessionUpdate: "session_info_update", title: short(turn.prompt.text) });
  await speak(turn, introduction(earlier));
  for (const [index, act] of acts.entries()) {
    await turn.plan(progress(index));
    await act.play(turn);
  }
  await turn.plan(progress(acts.length));
  await turn.reportContext();
}

const acts: readonly { title: string; play: (turn: Turn) => Promise<void> }[] = [
  { title: "Look around the workspace", play: lookAround },
  { title: "Leave a note in cox-demo.md", play: leaveNote },
  { title: "Run a harmless command", play: runSomething },
  { title: "Ask a question and sum up", play: sumUp },
];

const progress = (current: number) =>
  acts.map(({ title: content }, index) => {
    if (index < current) return { content, status: "completed" as const };
    return { content, status: index === current ? ("in_progress" as const) : ("pending" as const) };
  });

function introduction(earlier: readonly string[]): string {
  const last = earlier.at(-1);
  if (last !== undefined) return `Earlier you said ${quote(last)}. I am still the demo agent and run no model.\n\n`;
  return (
    "Hello! I am the demo agent that comes with Coxswain. I run no model and need no network: " +
    "my words are scripted, but the tools I use are real.\n\n"
  );
}

async function lookAround(turn: Turn): Promise<void> {
  await ponder(turn, "A good guest looks around first. Which file tells most about this place?");
  const listing = await listDirectory(turn, ".");
  await beat(turn, 400);
  const names = listing.status === "completed" ? listing.text.split("\n").filter((name) => name !== "") : [];
  const file = worthReading(names);
  if (names.length === 0) return speak(turn, "The workspace is empty.\n\n");
  if (file === undefined) return speak(turn, `The workspace has ${count(names)}, none of which I would read.\n\n`);
  const { text } = await readTextFile(turn, file);
  await beat(turn, 400);
  const lines = text.trimEnd().split("\n").length;
  await speak(
    turn,
    `The workspace has ${count(names)}; I read ${file} (${lines} ${lines === 1 ? "line" : "lines"}).\n\n`,
  );
}

/** The README, else the first file that looks like text. */
export function worthReading(names: readonly string[]): string | undefined {
  const text = names.filter((name) => /\.(?:md|txt|json|ya?ml|toml|[cm]?[jt]sx?|py|go|rs|java|rb|c|h|sh)$/i.test(name));
  return text.find((name) => /^readme/i.test(name)) ?? text.find((name) => name !== NOTE) ?? text[0];
}

const NOTE = "cox-demo.md";

async function leaveNote(turn: Turn): Promise<void> {
  if (turn.session.settings.mode === "plan")
    return speak(turn, `In plan mode I would now propose to write ${NOTE}.\n\n`);
  await ponder(turn, "Now an edit. Unless the mode says otherwise, I have to ask for it.");
  const begun = textIfThere(join(turn.session.cwd, NOTE)) ?? NOTE_HEAD;
  const outcome = await editFile(turn, NOTE, `${begun}- You asked: ${quote(turn.prompt.text)}\n`);
  await beat(turn, 300);
  await speak(turn, `${comment(outcome, `I wrote down what you asked in ${NOTE}.`)}\n\n`);
}

const NOTE_HEAD = "# Notes of the demo agent\n\nThe demo agent of Coxswain wrote this file. You can delete it.\n\n";

async function runSomething(turn: Turn): Promise<void> {
  const { cwd, settings } = turn.session;
  const command = existsSync(join(cwd, ".git")) ? "git status --short" : "ls";
  if (settings.mode === "plan") return speak(turn, `Then I would run \`${command}\`.\n\n`);
  const outcome = await runCommand(turn, command);
  await beat(turn, 300);
  await speak(turn, `${comment(outcome, `\`${command}\` ran and changed nothing.`)}\n\n`);
}

function comment({ status, refused, text }: Outcome, success: string): string {
  if (refused) return `${text} I respect that and go on without it.`;
  return status === "completed" ? success : `That failed: ${text}`;
}

async function sumUp(turn: Turn): Promise<void> {
  const wanted = await askQuestion(turn, "Shall I tell you how to script me?", ["Yes, please", "No, thanks"]);
  if (wanted.answer === "Yes, please") {
    await speak(
      turn,
      "Begin a line with `@`, as in `@say hello`, `@run ls` or `@slow 10 300`, and I do just that.\n\n",
    );
  }
  const asked = `You asked: ${quote(turn.prompt.text)}. I can't answer that, because I run no model. `;
  await speak(turn, `${asked}A real agent would work on it now, and you would watch it just like this.`);
}

/** Streams as a model would: a word or two at a time. */
async function speak(turn: Turn, text: string): Promise<void> {
  const messageId = newId("msg");
  for (const words of inPieces(text)) {
    await turn.say(words, messageId);
    await beat(turn, 80);
  }
}

async function ponder(turn: Turn, text: string): Promise<void> {
  const messageId = newId("msg");
  for (const words of inPieces(text)) {
    await turn.think(words, messageId);
    await beat(turn, 110);
  }
}

const inPieces = (text: string): string[] => text.match(/(?:\S+\s*){1,2}/g) ?? [];
const beat = (turn: Turn, ms: number): Promise<void> => turn.pause(ms * turn.stage.speed);
const count = (names: readonly string[]): string => (names.length === 1 ? "1 entry" : `${names.length} entries`);
