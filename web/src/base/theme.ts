import { storage } from "./storage.ts";
import { createStore } from "./store.ts";

export type Theme = "system" | "light" | "dark";
export const theme = createStore<Theme>(storage.read<Theme>("theme", "system"));

export function setTheme(next: Theme): void {
  storage.write("theme", next === "system" ? undefined : next);
  theme.set(next);
  showTheme();
}

export function showTheme(): void {
  document.documentElement.dataset.theme = theme.get();
}
