import { storage } from "./storage.ts";
import { createStore } from "./store.ts";

export type Theme = "system" | "light" | "dark";
export const theme = createStore<Theme>(storage.read<Theme>("theme", "system"));

const system = matchMedia("(prefers-color-scheme: dark)");

/** What is seen, whoever chose it: the system may change its mind while the page is open. */
export const isDark = createStore(false);

export function setTheme(next: Theme): void {
  storage.write("theme", next === "system" ? undefined : next);
  theme.set(next);
  showTheme();
}

export function showTheme(): void {
  document.documentElement.dataset.theme = theme.get();
  isDark.set(theme.get() === "dark" || (theme.get() === "system" && system.matches));
}

system.addEventListener("change", showTheme);
