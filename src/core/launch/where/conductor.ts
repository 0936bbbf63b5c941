import { hashOf, newToken } from "../../../lib/http/access/token.ts";
import { isGone } from "../../../lib/process/holders/holder.ts";
import type { Conductor, RunSpec } from "../../runner/run-spec.ts";
import { readServer } from "../../store/server-record.ts";

/** The server of this home that lives now, for an agent that isn't fenced in: those have their socket and nothing else. */
export function conductorOf({ home, executor }: Pick<RunSpec, "home" | "executor">): Conductor | undefined {
  if (executor?.inside !== undefined) return undefined;
  const server = readServer(home);
  if (server === undefined || isGone(server)) return undefined;
  const secret = newToken();
  return { url: server.url, secret, hash: hashOf(secret) };
}
