import type { KeyBinding } from "../base/keys.ts";

/** The keys that are shown on the buttons of a request, wherever one stands. */
export const answerKeys = (press: (button: string) => void): KeyBinding[] => [
  { keys: "a", says: "Allow once", do: () => press("[data-do=allow]") },
  { keys: "A", says: "Allow always", do: () => press("[data-do=always]") },
  { keys: "d", says: "Deny, or don't answer, with a reason", do: () => press("[data-do=deny]") },
  { keys: "s", says: "Show all of what is asked", do: () => press("[data-do=all]") },
];
