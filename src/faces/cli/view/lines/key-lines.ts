import { columnsOf, wrap } from "../../../../lib/command/columns.ts";
import type { Page } from "../../../../lib/command/paint.ts";
import { oneLine } from "../../../../lib/text/printable.ts";
import type { ViewOptions } from "../index.ts";

type Line = readonly [key: string, does: string];

/** Words that are ours where prompts are typed. What else begins with a slash is the agent's. */
export const HELP = "/help";
export const QUIT = "/quit";

const AGENTS_OWN = 12;

/** Every key that does something here: for `?` and `/help` in the live view. */
export function renderKeyHelp(options: ViewOptions, commands: readonly string[], page: Page): string[] {
  const { interactive, onEscapeKey, onDetachKey } = options;
  const leaves: Line[] = onDetachKey === undefined ? [] : [["Ctrl-D, Ctrl-]", "leave; the run goes on"]];
  const typing: Line[] = [
    ["Enter", "sends what you typed as the next prompt"],
    ["Esc", onEscapeKey === undefined ? "clears what you typed" : "clears what you typed; interrupts the turn"],
    ["Ctrl-A E U K W", "as in a shell: begin, end, delete before, after, a word"],
  ];
  const lines: Line[] = [
    ["a, A, d", "allow what is asked once, always, or deny it; numbers choose"],
    ["", "counts when no other key follows for a moment, or with Enter at once"],
    ["space, PgUp, PgDn", "more of what is asked; a yes counts when all of it was shown"],
    ...(interactive ? typing : []),
    ["Ctrl-C", ctrlC(options)],
    ...leaves,
    ["Ctrl-Z", "gives the shell its terminal until `fg`; the run goes on"],
    ["?", interactive ? "shows this, where nothing is typed" : "shows this"],
    ...(interactive ? wordLines(options, commands) : []),
  ];
  return render(lines, page);
}

/** What can be typed, line by line, where keys are not ours. */
export function renderLineHelp(options: ViewOptions, commands: readonly string[], page: Page): string[] {
  const lines: Line[] = [
    ["allow, always, deny WHY", "answer what is asked; a question takes a number or text"],
    ...(options.interactive ? ([["any other line", "is the next prompt"]] as const) : []),
    ["Ctrl-C", ctrlC(options)],
    ...(options.onDetachKey === undefined ? [] : ([["Ctrl-D", "leaves; the run goes on"]] as const)),
    ...(options.interactive ? wordLines(options, commands) : ([[HELP, "shows this"]] as const)),
  ];
  return render(lines, page);
}

const ctrlC = ({ says }: ViewOptions): string =>
  says?.ctrlC ?? "interrupts the turn; twice stops the agent, three times kills it";

function wordLines({ says }: ViewOptions, commands: readonly string[]): Line[] {
  const shown = commands.slice(0, AGENTS_OWN).map((name) => `/${oneLine(name).replace(/^\//, "")}`);
  const more = commands.length > shown.length ? ", and more" : "";
  return [
    [HELP, "shows this"],
    [QUIT, says?.quit ?? "ends the run"],
    ...(says?.words ?? []),
    ["/other words", shown.length === 0 ? "go to the agent" : `go to the agent: ${shown.join(", ")}${more}`],
  ];
}

function render(lines: readonly Line[], { width, paint }: Page): string[] {
  const left = Math.max(...lines.map(([key]) => columnsOf(key))) + 4;
  return lines.flatMap(([key, does]) =>
    wrap(does, Math.max(width - left, 12)).map((row, index) =>
      index === 0 ? `${paint.bold(`  ${key}`.padEnd(left))}${row}` : `${" ".repeat(left)}${row}`,
    ),
  );
}
