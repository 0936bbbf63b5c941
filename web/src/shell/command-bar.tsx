import { useMemo, useState } from "react";
import { tasks } from "../api/tasks.ts";
import { cut, oneLine } from "../base/safe-text.ts";
import { useStore } from "../base/store.ts";
import { isDark, setTheme } from "../base/theme.ts";
import { taskAddress } from "../board/card.tsx";
import { go } from "../router.tsx";
import { newTask } from "../tasks/new-task-state.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { stateLabel } from "../ui/pill.tsx";
import { commandBar } from "./command-bar-state.ts";
import { help } from "./help-state.ts";
import { sections } from "./nav.tsx";

interface Command {
  name: string;
  detail: string;
  icon: IconName;
  do: () => void;
}

export function CommandBar() {
  return useStore(commandBar) ? <Bar /> : null;
}

const SHOWN = 12;

function Bar() {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const { items } = useStore(tasks);
  const commands = useMemo(() => [...fixed(), ...forTasks()], [items]);
  const found = useMemo(() => search(commands, text).slice(0, SHOWN), [commands, text]);
  const close = () => commandBar.set(false);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    close();
    command.do();
  };
  return (
    <Dialog title="Command bar" bare onClose={close}>
      <input
        className="command-input"
        data-focus
        role="combobox"
        aria-label="Search tasks and commands"
        aria-expanded="true"
        aria-controls="command-list"
        aria-activedescendant={found.length > 0 ? `command-${at}` : undefined}
        placeholder="Go to a task or a page, or do something"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt(Math.min(at + 1, found.length - 1));
          else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
          else if (event.key === "Enter") run(found[at]);
          else return;
          event.preventDefault();
        }}
      />
      <div className="command-list" id="command-list" role="listbox" aria-label="Found">
        {found.map((command, i) => (
          <button
            key={command.name + command.detail}
            id={`command-${i}`}
            type="button"
            role="option"
            tabIndex={-1}
            className="command-item"
            aria-selected={i === at}
            onMouseMove={() => setAt(i)}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <span className="one-line">{command.name}</span>
            <small>{command.detail}</small>
          </button>
        ))}
        {found.length === 0 && <p className="column-empty">Nothing by that name.</p>}
      </div>
    </Dialog>
  );
}

function fixed(): Command[] {
  const dark = isDark.get();
  return [
    { name: "New task", detail: "n", icon: "plus", do: () => newTask.set({}) },
    ...sections.map(({ to, name, icon, key }) => ({ name, detail: `g ${key}`, icon, do: () => go(to) })),
    { name: "Rules", detail: "Settings", icon: "settings", do: () => go("/settings/rules") },
    { name: "Budgets", detail: "Settings", icon: "settings", do: () => go("/settings/budgets") },
    { name: "Tokens", detail: "Settings", icon: "settings", do: () => go("/settings/tokens") },
    {
      name: dark ? "Light colours" : "Dark colours",
      detail: "",
      icon: dark ? "sun" : "moon",
      do: () => setTheme(dark ? "light" : "dark"),
    },
    { name: "Keys", detail: "?", icon: "keyboard", do: () => help.set(true) },
    { name: "Colours of the system", detail: "", icon: "settings", do: () => setTheme("system") },
  ];
}

const forTasks = (): Command[] =>
  [...tasks.get().items.values()]
    .toSorted((a, b) => b.since.localeCompare(a.since))
    .map((task) => ({
      name: cut(oneLine(task.title), 100),
      detail: `${task.project} · ${stateLabel(task.state)}`,
      icon: "board",
      do: () => go(taskAddress(task)),
    }));

/** Every word somewhere; those that begin with it first. */
function search(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...commands];
  const rank = ({ name }: Command) => (name.toLowerCase().startsWith(words[0] ?? "") ? 0 : 1);
  return commands
    .filter(({ name, detail }) => words.every((word) => `${name} ${detail}`.toLowerCase().includes(word)))
    .sort((a, b) => rank(a) - rank(b));
}
