import { text } from "node:stream/consumers";
import { AppError } from "../../../../contract/errors.ts";
import { callRun } from "../../../../lib/client/agent-socket.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { renderTable } from "../../../../lib/command/table.ts";
import { oneLine, printableJson } from "../../../../lib/text/printable.ts";
import { refuseOthers } from "../../run-socket.ts";
import { type CreateValues, priorityOf, titleOf } from "./create.ts";

/** What an agent may do with tasks where it can't see their files: make them, and look at its own. */
export async function taskThroughSocket(
  socket: string,
  verb: string,
  values: CreateValues,
  words: readonly string[],
  context: Context,
): Promise<number> {
  if (verb === "create") return create(socket, values, words, context);
  if (verb === "show") return show(socket, values, words, context);
  throw new AppError(
    "command.unsupported",
    `cox task ${verb}: not inside this run: it may create tasks and show those; the rest is for people`,
  );
}

async function create(
  socket: string,
  values: CreateValues,
  words: readonly string[],
  { stdin, stdout }: Context,
): Promise<number> {
  refuseOthers("task create", values, [
    "title",
    "task",
    "agent",
    "depends-on",
    "review",
    "no-review",
    "priority",
    "json",
  ]);
  const prompt = words.length > 0 ? words.join(" ") : stdin.isTTY ? "" : await text(stdin);
  const made = await callRun(socket, "task_create", {
    title: values.title ?? titleOf(prompt),
    prompt,
    task: values.task,
    agent: values.agent,
    depends_on: values["depends-on"],
    review: values.review,
    priority: priorityOf(values.priority),
  });
  stdout.write(values.json ? `${JSON.stringify(made)}\n` : `${made.task}\n`);
  return 0;
}

async function show(
  socket: string,
  values: CreateValues,
  [task]: readonly string[],
  { stdout }: Context,
): Promise<number> {
  refuseOthers("task show", values, ["json"]);
  const facts = await callRun(socket, "task_status", { task });
  const rows = Object.entries(facts).map(([name, value]) => [name, oneLine(String(value))]);
  stdout.write(values.json ? `${printableJson(facts)}\n` : renderTable(rows));
  return 0;
}
