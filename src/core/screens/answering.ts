import type { Dialog } from "./detect/dialog.ts";
import type { Prompt } from "./state/agent-state.ts";

/** What somebody answers, in the words of the wire. */
export interface Reply {
  accept?: boolean;
  /** Counted from one. */
  option?: number;
  text?: string;
  answers?: readonly { option?: number; text?: string }[];
}

/** Eyes and fingers on one terminal. */
export interface Hands {
  /** The dialog that is on the screen now. */
  look(): Promise<Dialog | undefined>;
  type(keys: string): void;
  /** Until the screen shows something else than before, or nothing comes. */
  changed(): Promise<void>;
  /** As long as a program needs for a text of this length. */
  pause(bytes?: number): Promise<void>;
}

/** What was chosen, counted from one, or why nothing could be. */
export type Answered = { option?: number } | { reason: string };

/** Answers by what is on the screen: goes to the wanted line, sees that it is marked, and only then presses Enter. */
export async function answer(hands: Hands, prompt: Prompt, reply: Reply): Promise<Answered> {
  const answers = reply.answers ?? [];
  if (prompt.type === "question") {
    const single =
      reply.option !== undefined || reply.text !== undefined ? [{ option: reply.option, text: reply.text }] : [];
    return answerQuestions(hands, answers.length > 0 ? answers : single);
  }
  const dialog = await appeared(hands);
  if (dialog === undefined) return withoutDialog(hands, prompt, reply);
  if (reply.text !== undefined) return say(hands, dialog, reply.text);
  const wanted = reply.option === undefined ? optionFor(prompt, dialog.options, reply.accept) : reply.option - 1;
  // When none of the options says no, Escape does.
  if (wanted === undefined) return (await press(hands, ESCAPE)) ? {} : { reason: "the dialog stayed" };
  return choose(hands, dialog, wanted);
}

async function answerQuestions(
  hands: Hands,
  answers: readonly { option?: number; text?: string }[],
): Promise<Answered> {
  if (answers.length === 0) return { reason: "a question needs an option, a text, or answers" };
  let last: Answered = {};
  for (const { option, text } of answers) {
    const dialog = await hands.look();
    if (dialog === undefined) return { reason: "the question is not on the screen" };
    last = text === undefined ? await choose(hands, dialog, (option ?? 1) - 1) : await say(hands, dialog, text);
    if ("reason" in last) return last;
    await hands.changed();
    await hands.pause();
  }
  const rest = await hands.look();
  const submit = rest?.options.findIndex((label) => /^submit/i.test(label)) ?? -1;
  return rest === undefined || submit === -1 ? last : choose(hands, rest, submit);
}

/** Which line to take for a plain yes or no; `undefined` when none of them is a no. */
export function optionFor(prompt: Prompt, options: readonly string[], accept = false): number | undefined {
  const find = (pattern: RegExp) => {
    const at = options.findIndex((label) => pattern.test(label));
    return at === -1 ? undefined : at;
  };
  if (!accept && prompt.type !== "setup") return find(NO);
  // What a plan may do is asked again, step by step, unless somebody chose otherwise.
  const careful = prompt.type === "plan" ? find(/^yes.*manual/i) : undefined;
  return careful ?? find(YES) ?? (NO.test(options[0] ?? "") ? undefined : 0);
}

const YES = /^(yes|allow|accept|approve|proceed|continue|trust|ok)\b/i;
const NO = /^(no|reject|deny|decline|cancel|don.t|exit|modify)\b/i;

async function choose(hands: Hands, dialog: Dialog, wanted: number): Promise<Answered> {
  const label = dialog.options[wanted];
  if (label === undefined) return { reason: `there is no option ${wanted + 1}; it has ${dialog.options.length}` };
  const chosen = { option: wanted + 1 };
  if (dialog.selected === undefined) {
    return (await press(hands, String(wanted + 1))) ? chosen : { reason: "the dialog stayed" };
  }
  if (!(await moveTo(hands, dialog, wanted))) return { reason: `option ${wanted + 1} could not be reached` };
  return (await press(hands, ENTER)) ? chosen : { reason: "the dialog stayed, whatever was pressed" };
}

/** An agent tells of its question before it is on the screen: a key pressed then is lost. */
async function appeared(hands: Hands): Promise<Dialog | undefined> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const dialog = await hands.look();
    if (dialog !== undefined) return dialog;
    await hands.changed();
  }
  return hands.look();
}

/** Until the dialog is gone: in its first moments it may be deaf, so that nobody confirms by accident what just came up. */
async function press(hands: Hands, key: string): Promise<boolean> {
  const before = await drawn(hands);
  for (let times = 0; times < PRESSES; times += 1) {
    hands.type(key);
    for (let looks = 0; looks < LOOKS; looks += 1) {
      await hands.changed();
      if (!isSame(before, await hands.look())) return true;
    }
  }
  return false;
}

/** The dialog once it stands still: one that is still being drawn would look as if it had given way to another. */
async function drawn(hands: Hands): Promise<Dialog | undefined> {
  let seen = await hands.look();
  for (let looks = 0; looks < LOOKS; looks += 1) {
    await hands.changed();
    const now = await hands.look();
    if (isSame(seen, now)) return now;
    seen = now;
  }
  return seen;
}

const PRESSES = 4;
/** Several seconds: on a busy machine a key takes its time, and pressed twice it would answer the next question, too. */
const LOOKS = 12;

function isSame(a: Dialog | undefined, b: Dialog | undefined): boolean {
  return JSON.stringify([a?.text, a?.options]) === JSON.stringify([b?.text, b?.options]);
}

/** One step at a time, each seen before the next: a key too many would leave the line again after it was seen marked. */
async function moveTo(hands: Hands, dialog: Dialog, wanted: number): Promise<boolean> {
  let now: Dialog | undefined = dialog;
  let isSure = true;
  for (let step = 0; step < dialog.options.length * 3; step += 1) {
    if (now === undefined || now.options.length !== dialog.options.length) return false;
    if (now.selected === wanted && isSure) return true;
    const before: number | undefined = now.selected;
    if (before !== wanted) hands.type(before !== undefined && before > wanted ? UP : DOWN);
    for (let looks = 0; looks < LOOKS && now?.selected === before; looks += 1) {
      await hands.changed();
      now = await hands.look();
    }
    // A step that nobody saw may still come: then the place counts only when it has stood for as long again.
    isSure = before === wanted ? now?.selected === wanted : now?.selected !== before && isSure;
  }
  return false;
}

/** Into the line that takes words: the one that says so, else the last. */
async function say(hands: Hands, dialog: Dialog, text: string): Promise<Answered> {
  const field = dialog.options.findIndex((label) =>
    /^(type|other|tell)\b|type something|tell claude|what to (do|change)/i.test(label),
  );
  const wanted = field === -1 ? dialog.options.length - 1 : field;
  if (!(await moveTo(hands, dialog, wanted))) return { reason: `option ${wanted + 1} could not be reached` };
  hands.type(printable(text));
  await hands.pause(Buffer.byteLength(text));
  return (await press(hands, ENTER)) ? { option: wanted + 1 } : { reason: "the dialog stayed" };
}

async function withoutDialog(hands: Hands, prompt: Prompt, reply: Reply): Promise<Answered> {
  if (reply.text !== undefined) {
    hands.type(printable(reply.text));
    await hands.pause(Buffer.byteLength(reply.text));
    hands.type(ENTER);
    return {};
  }
  const yes = reply.accept === true || reply.option === 1 || (prompt.type === "setup" && reply.accept !== false);
  hands.type(yes ? ENTER : ESCAPE);
  return { option: reply.option };
}

/** Text is text: a control sequence in it would be a key. Lines stay lines, where the program takes them. */
export const printable = (text: string): string =>
  text.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");

const ENTER = "\r";
const ESCAPE = "\x1b";
const UP = "\x1b[A";
const DOWN = "\x1b[B";
