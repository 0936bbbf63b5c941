import { readFileSync } from "node:fs";
import type { Context } from "../../../lib/command/command.ts";

interface Started {
  url: string;
  tokenFile: string;
  status: string;
  log: string;
  /** The command that ends it. */
  stop: string;
  values: { detach?: boolean; json?: boolean };
}

/** Says where it is, and goes there unless that wasn't wanted. Leaving the terminal leaves the agent running. */
export async function attachTo(
  { url, tokenFile, status, log, stop, values }: Started,
  context: Context,
): Promise<number> {
  const { stdout, stderr } = context;
  const place = {
    terminal: url,
    token_file: tokenFile,
    status: `http://127.0.0.1:${status}/api/v1/supervisor`,
    log,
    stop,
  };
  if (values.json) stdout.write(`${JSON.stringify(place)}\n`);
  if (values.detach) {
    if (!values.json) for (const [name, value] of Object.entries(place)) stdout.write(`${name.padEnd(12)}${value}\n`);
    return 0;
  }
  const token = readFileSync(tokenFile, "utf8").trim();
  const [{ runCommand }, { default: attach }] = await Promise.all([
    import("../../../lib/command/command.ts"),
    import("../attach.ts"),
  ]);
  const code = await runCommand(attach, [url], { ...context, env: { ...context.env, COOP_AUTH_TOKEN: token } });
  stderr.write(`cox: to end the agent: ${stop}\n`);
  return code;
}
