import { AppError } from "../../contract/errors.ts";

/** The bytes of named keys, in order. Names are taken in any case. */
export function keyBytes(names: readonly string[]): string {
  return names.map(oneKey).join("");
}

function oneKey(name: string): string {
  const key = name.toLowerCase();
  const control = /^ctrl-([a-z])$/.exec(key)?.[1];
  const named = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
  const bytes = control === undefined ? named : String.fromCharCode(control.charCodeAt(0) - 96);
  if (bytes === undefined) throw new AppError("usage.invalid", `unknown key: ${name}`, { key: name });
  return bytes;
}

const KEYS: Readonly<Record<string, string>> = {
  enter: "\r",
  return: "\r",
  tab: "\t",
  escape: "\x1b",
  esc: "\x1b",
  backspace: "\x7f",
  space: " ",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  home: "\x1b[H",
  end: "\x1b[F",
  insert: "\x1b[2~",
  delete: "\x1b[3~",
  del: "\x1b[3~",
  pageup: "\x1b[5~",
  page_up: "\x1b[5~",
  pagedown: "\x1b[6~",
  page_down: "\x1b[6~",
  f1: "\x1bOP",
  f2: "\x1bOQ",
  f3: "\x1bOR",
  f4: "\x1bOS",
  f5: "\x1b[15~",
  f6: "\x1b[17~",
  f7: "\x1b[18~",
  f8: "\x1b[19~",
  f9: "\x1b[20~",
  f10: "\x1b[21~",
  f11: "\x1b[23~",
  f12: "\x1b[24~",
};

/** By name, with or without SIG, or by number. */
export function signalNamed(text: string): NodeJS.Signals {
  const name = /^\d+$/.test(text) ? SIGNALS[Number(text)] : `SIG${text.toUpperCase().replace(/^SIG/, "")}`;
  const known = Object.values(SIGNALS).find((signal) => signal === name);
  if (known === undefined) throw new AppError("usage.invalid", `unknown signal: ${text}`, { signal: text });
  return known;
}

const SIGNALS: Readonly<Record<number, NodeJS.Signals>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  9: "SIGKILL",
  10: "SIGUSR1",
  12: "SIGUSR2",
  15: "SIGTERM",
  18: "SIGCONT",
  19: "SIGSTOP",
  20: "SIGTSTP",
  28: "SIGWINCH",
};
