import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "../support/cox.ts";

/** Which of the scripted model servers an agent speaks to. */
export type Api = "anthropic" | "openai" | "gemini";

/** Where nobody listens. */
export const nobody = "http://127.0.0.1:1";

/** A model's server on a free port of loopback. It goes when its stdin is closed, whoever closes it. */
export async function startModelServer(api: Api, log?: string) {
  const args = [join(root, "test/fakes", `${api}.mjs`), "0", ...(log === undefined ? [] : [log])];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const port = /on (\d+)/.exec(line.toString())?.[1];
  if (port === undefined) throw new Error(`the ${api} server said ${line.toString()}`);
  return { url: `http://127.0.0.1:${port}`, stop: () => child.stdin.end() };
}
