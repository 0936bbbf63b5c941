import type { TaskItem } from "../../../src/contract/api/values.ts";
import { useKeys } from "../base/keys.ts";
import { actionsFor, type TaskAction } from "../tasks/columns.ts";
import { actionNames, doAction } from "../tasks/do-action.ts";

/** Cards are walked with j and k, columns with h and l; the focus is the selection. */
export function useBoardKeys(items: ReadonlyMap<string, TaskItem>): void {
  const act = (wished: readonly TaskAction[]) => {
    const task = items.get(focused()?.dataset.task ?? "");
    const action = task && actionsFor(task).find((candidate) => wished.includes(candidate));
    if (task !== undefined && action !== undefined) void doAction(task, action);
  };
  useKeys("Board", [
    { keys: "j", says: "Next task", do: () => step(1) },
    { keys: "k", says: "Previous task", do: () => step(-1) },
    { keys: "l", says: "Next column", do: () => stepColumn(1) },
    { keys: "h", says: "Previous column", do: () => stepColumn(-1) },
    { keys: "/", says: "Filter", do: () => document.querySelector<HTMLElement>(".board-search")?.focus() },
    ...keyed.map(([key, wished]) => ({
      keys: key,
      says: wished.map((action) => actionNames[action].name).join(" or "),
      do: () => act(wished),
    })),
  ]);
}

const keyed: readonly [string, readonly TaskAction[]][] = [
  ["s", ["start", "resume"]],
  ["e", ["enqueue"]],
  ["x", ["stop"]],
  ["b", ["send-back"]],
  ["f", ["done"]],
  ["D", ["cancel"]],
];

const focused = () => document.activeElement?.closest<HTMLElement>("[data-task]") ?? undefined;
const cards = (within: ParentNode = document) => [...within.querySelectorAll<HTMLElement>("[data-task]")];
const focus = (card: HTMLElement | undefined) => card?.querySelector<HTMLElement>("a")?.focus();

function step(by: number): void {
  const now = focused();
  const list = cards(now?.closest("[data-column]") ?? document);
  focus(now === undefined ? list[0] : list[list.indexOf(now) + by]);
}

function stepColumn(by: number): void {
  const filled = [...document.querySelectorAll("[data-column]")].filter((column) => cards(column).length > 0);
  const now = focused();
  const column = now?.closest("[data-column]");
  const next = column ? filled[filled.indexOf(column) + by] : filled[0];
  if (next === undefined) return;
  const place = column && now ? cards(column).indexOf(now) : 0;
  const list = cards(next);
  focus(list[Math.min(place, list.length - 1)]);
}
