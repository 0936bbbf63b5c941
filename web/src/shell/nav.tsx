import { inbox } from "../api/inbox.ts";
import { keyName, useKeys } from "../base/keys.ts";
import { useStore } from "../base/store.ts";
import { isDark, setTheme } from "../base/theme.ts";
import { go, Link, usePlace } from "../router.tsx";
import { newTask } from "../tasks/new-task-state.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { commandBar } from "./command-bar-state.ts";

/** Where one can go, and the keys that go there. */
export const sections: readonly { to: string; name: string; icon: IconName; key: string; phone?: true }[] = [
  { to: "/", name: "Board", icon: "board", key: "b", phone: true },
  { to: "/inbox", name: "Inbox", icon: "inbox", key: "i", phone: true },
  { to: "/agents", name: "Agents", icon: "agents", key: "a", phone: true },
  { to: "/bus", name: "Bus", icon: "bus", key: "u" },
  { to: "/tree", name: "Tree", icon: "tree", key: "t" },
  { to: "/terminals", name: "Terminals", icon: "terminal", key: "h" },
  { to: "/cluster", name: "Cluster", icon: "globe", key: "k" },
  { to: "/cost", name: "Cost", icon: "cost", key: "c" },
  { to: "/settings", name: "Settings", icon: "settings", key: "s", phone: true },
];

export function Nav() {
  const { path } = usePlace();
  const waiting = useStore(inbox, ({ items }) => items.length);
  const dark = useStore(isDark);
  useKeys("Everywhere", [
    ...sections.map(({ to, name, key }) => ({ keys: `g ${key}`, says: name, do: () => go(to) })),
    { keys: "n", says: "New task", do: () => newTask.set({}) },
    { keys: "mod+k", says: "Command bar", do: () => commandBar.set(true), always: true },
  ]);
  return (
    <nav className="nav" aria-label="Main">
      <div className="brand">
        <img src="/icon.svg" alt="" width="22" height="22" />
        <span className="nav-text">Coxswain</span>
      </div>
      {sections.map(({ to, name, icon, phone }) => (
        <Link
          key={to}
          to={to}
          className={`nav-link ${phone ? "" : "desk"}`}
          aria-current={isHere(to, path) ? "page" : undefined}
        >
          <Icon name={icon} />
          <span className="nav-text">{name}</span>
          {name === "Inbox" && waiting > 0 && (
            <span className="nav-count">
              {waiting}
              <span className="hidden-text"> waiting</span>
            </span>
          )}
        </Link>
      ))}
      <div className="nav-gap" />
      <button type="button" aria-label={`Search ${keyName("mod+k")}`} onClick={() => commandBar.set(true)}>
        <Icon name="search" />
        <span className="nav-text">Search</span> <kbd>{keyName("mod+k")}</kbd>
      </button>
      <button
        type="button"
        className="desk"
        aria-label={dark ? "Light colours" : "Dark colours"}
        onClick={() => setTheme(dark ? "light" : "dark")}
      >
        <Icon name={dark ? "sun" : "moon"} />
        <span className="nav-text">{dark ? "Light" : "Dark"}</span>
      </button>
    </nav>
  );
}

/** A session belongs to the board. */
const isHere = (to: string, path: string) =>
  to === "/" ? path === "/" || path.startsWith("/runs") || path.startsWith("/tasks") : path.startsWith(to);
