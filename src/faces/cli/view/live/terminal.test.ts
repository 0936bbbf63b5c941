import { join } from "node:path";
import { afterEach, expect, test } from "vitest";

/** A real terminal: raw mode, keys as bytes, and the mode it is left in. */
const scene = join(import.meta.dirname, "testing/test-scene.ts");
let kill = () => {};
afterEach(() => kill());

async function open(...args: string[]) {
  const { spawn } = await import("@lydell/node-pty");
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", TERM: "xterm", NO_COLOR: "1" };
  const terminal = spawn(process.execPath, ["--import", "tsx", scene, ...args], {
    cols: 60,
    rows: 20,
    cwd: join(scene, "../../../.."),
    env,
  });
  let out = "";
  let code: number | undefined;
  terminal.onData((data) => {
    out += data;
  });
  terminal.onExit(({ exitCode }) => {
    code = exitCode;
  });
  kill = () => {
    if (code === undefined) terminal.kill();
  };
  const sees = (text: string) => expect.poll(() => out, { timeout: 15_000 }).toContain(text);
  return { sees, type: (keys: string) => terminal.write(keys), out: () => out, code: () => code };
}

test("a key answers, once the request has been there for a moment", async () => {
  const { sees, type, out, code } = await open("ask");
  await sees("[a]llow once  [A]lways  [d]eny");
  // Too early it would be typing; so it is pressed until it counts, with pauses longer than the guard.
  await expect
    .poll(
      () => {
        if (!out().includes("TOLD")) type("a");
        return out();
      },
      { interval: 600, timeout: 15_000 },
    )
    .toContain('TOLD {"optionId":"y"}');
  await expect.poll(code).toBe(0); // stdin was let go, or it would never end
});

test("Ctrl-C is a key, not a signal, and the terminal is given back", async () => {
  const { sees, type, code } = await open();
  await sees("Ctrl-C interrupts");
  type("\x03");
  await sees("INTERRUPTED");
  await expect.poll(code).toBe(0);
});

test("a pasted prompt of several lines is one prompt", async () => {
  const { sees, type } = await open();
  await sees("\x1b[?2004h");
  await sees("May I?");
  type("\x1b[200~one\rtwo\x1b[201~");
  await sees("> one⏎two");
  type("\r");
  await sees('"text":"one\\ntwo"');
});
