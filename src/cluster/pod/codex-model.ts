import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isObject, objectOf, textOf } from "../../core/protocols/read.ts";

/**
 * Which model codex took when nobody told it: its stream doesn't say, but its own record of the thread does. Without a model
 * there is no price.
 */
export function codexModel(threadId: string, env: NodeJS.ProcessEnv): string | undefined {
  const sessions = join(env.CODEX_HOME || join(env.HOME || homedir(), ".codex"), "sessions");
  try {
    const name = readdirSync(sessions, { recursive: true, encoding: "utf8" }).find((path) =>
      path.endsWith(`${threadId}.jsonl`),
    );
    const text = name === undefined ? "" : readFileSync(join(sessions, name), "utf8");
    return text
      .split("\n")
      .map(modelIn)
      .findLast((model) => model !== undefined);
  } catch {
    return undefined; // codex of somebody else's image keeps it elsewhere, or not at all
  }
}

function modelIn(line: string): string | undefined {
  if (!line.includes('"turn_context"')) return undefined;
  try {
    const record: unknown = JSON.parse(line);
    return isObject(record) && record.type === "turn_context" ? textOf(objectOf(record.payload).model) : undefined;
  } catch {
    return undefined;
  }
}
