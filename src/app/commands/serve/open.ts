import { rmSync } from "node:fs";
import { join } from "node:path";
import { AppError, messageOf } from "../../../contract/errors.ts";
import type { Home } from "../../../core/store/home.ts";
import { KEY_LIFE_MS, makeLoginKey } from "../../../faces/server/access/login-keys.ts";
import { findServer } from "../../../faces/server/server-file.ts";
import type { Context } from "../../../lib/command/command.ts";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { runCommand } from "../../../lib/process/command.ts";
import { findExecutable } from "../../../lib/process/path/executable.ts";

/** An address with a key of its own for the server that is running. */
export async function openRunning(home: Home, isOpening: boolean, context: Context): Promise<number> {
  const server = findServer(home);
  if (server === undefined) {
    throw new AppError("server.not_running", "serve open: no server runs for this home; start one with `cox serve`");
  }
  const close = await showPage(home, server.url, isOpening, context);
  // The browser needs a moment to read the file that leads it there.
  if (close !== undefined) await context.clock.sleep(READ_MS);
  close?.();
  return 0;
}

const READ_MS = 5000;

/** Prints the address, and opens it where there is a screen. What is returned removes the file that was needed for it. */
export async function showPage(
  home: Home,
  url: string,
  isOpening: boolean,
  { env, clock, stdout, stderr }: Context,
): Promise<(() => void) | undefined> {
  const address = `${url}/#key=${makeLoginKey(home, clock.now())}`;
  stdout.write(`${address}\n`);
  const opener = isOpening ? openerOf(env, process.platform) : undefined;
  if (opener === undefined) return undefined;
  // The key must not stand in a command line, where other accounts could read it: the browser gets a file that leads there.
  const file = join(home.root, `open-${process.pid}.html`);
  writeFileAtomic(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${address}">\n`);
  const remove = () => rmSync(file, { force: true });
  clock.after(KEY_LIFE_MS, remove);
  try {
    await runCommand(opener, [file], { cwd: home.root, env: definedIn(env), timeoutMs: OPEN_MS });
  } catch (error) {
    stderr.write(`cox: open the browser: ${messageOf(error)}; open the address above yourself\n`);
  }
  return remove;
}

const OPEN_MS = 10_000;

function openerOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | undefined {
  const hasScreen = platform === "darwin" || Boolean(env.DISPLAY) || Boolean(env.WAYLAND_DISPLAY);
  if (!hasScreen) return undefined;
  try {
    return findExecutable(platform === "darwin" ? "open" : "xdg-open", { path: env.PATH, cwd: "/" });
  } catch {
    return undefined; // no desktop after all: the address is printed
  }
}

const definedIn = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
