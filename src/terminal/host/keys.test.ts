import { expect, test } from "vitest";
import { keyBytes, signalNamed } from "./keys.ts";

test.each([
  [["Enter"], "\r"],
  [["up", "DOWN", "Left", "right"], "\x1b[A\x1b[B\x1b[D\x1b[C"],
  [["ctrl-c", "Ctrl-Z", "ctrl-a"], "\x03\x1a\x01"],
  [["escape", "esc", "tab", "space", "backspace"], "\x1b\x1b\t \x7f"],
  [["pageup", "page_down", "del", "insert", "home", "end"], "\x1b[5~\x1b[6~\x1b[3~\x1b[2~\x1b[H\x1b[F"],
  [["f1", "F5", "f12"], "\x1bOP\x1b[15~\x1b[24~"],
])("%j", (names, bytes) => {
  expect(keyBytes(names)).toBe(bytes);
});

test.each(["ctrl-1", "hyper", "", "constructor"])("there is no key %j", (name) => {
  expect(() => keyBytes([name])).toThrow(`unknown key: ${name}`);
});

test.each([
  ["TERM", "SIGTERM"],
  ["sigint", "SIGINT"],
  ["9", "SIGKILL"],
  ["winch", "SIGWINCH"],
] as const)("signal %s", (name, signal) => {
  expect(signalNamed(name)).toBe(signal);
});

test.each(["SEGV", "0", "99", "SIG", ""])("no signal %j", (name) => {
  expect(() => signalNamed(name)).toThrow("unknown signal");
});
