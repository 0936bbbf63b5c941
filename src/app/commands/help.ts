import { VERSION } from "../../lib/base/version.ts";
import { listOf } from "../../lib/command/command.ts";
import { type CommandName, commands } from "./index.ts";

/** By what people want to do, and in each the most used first. `more` is only in `cox help all`. */
const groups: readonly { title: string; first: readonly CommandName[]; more: readonly CommandName[] }[] = [
  {
    title: "Run and watch",
    first: ["run", "chat", "ls", "show", "attach", "logs", "stop"],
    more: ["output", "prompt", "interrupt", "wait", "tree", "loop", "wrap", "play", "demo"],
  },
  { title: "Answer", first: ["inbox", "answer"], more: ["rules", "notify"] },
  { title: "Tasks and review", first: ["task", "review", "diff", "merge"], more: ["undo", "queue", "bus", "budget"] },
  { title: "Agents", first: ["agent", "profile"], more: ["setup", "acp", "mcp", "translate"] },
  {
    title: "Machines and clusters",
    first: ["serve", "k8s"],
    more: ["token", "terminal", "screen", "input", "send", "hub", "operator"],
  },
  { title: "This installation", first: ["doctor", "config"], more: ["gc", "completion", "version"] },
];

/** `cox help` on one screen; `cox help all` has every command. */
export function helpPage(all: boolean): string {
  const lists = groups.map(({ title, first, more }) => {
    const names = all ? [...first, ...more] : first;
    return `${title}:\n${listOf(Object.fromEntries(names.map((name) => [name, commands[name]])), WIDTH)}`;
  });
  const head = `cox ${VERSION}: run any coding agent, with one record of everything it did\n\nUsage: cox COMMAND [options]\n`;
  const rest = all ? "" : "     All commands: cox help all";
  return [
    head,
    ...lists,
    `Help on a command: cox help COMMAND${rest}\nTry: cox run --agent demo "show me around"\n`,
  ].join("\n");
}

/** One column for all groups. */
const WIDTH = Math.max(...groups.flatMap(({ first, more }) => [...first, ...more]).map((name) => name.length)) + 2;
