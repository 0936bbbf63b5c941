import { AppError } from "../../contract/errors.ts";
import type { Home } from "../../core/store/home.ts";
import { parseServer, type ServerRecord, serverFile } from "../../core/store/server-record.ts";
import { isGone, ourselves } from "../../core/tasks/presence.ts";
import { claimFile, readClaimFile, releaseClaim } from "../../lib/files/holding/claim-file.ts";
import { serverTokenFile } from "./access/server-token.ts";

/** The server that lives, if any. */
export function findServer(home: Home): ServerRecord | undefined {
  return living(readClaimFile(serverFile(home)));
}

export function refuseSecond(home: Home): void {
  const first = findServer(home);
  if (first !== undefined) throw running(first);
}

/** Makes this process the server of the home, or throws who is. What a killed one left is cleared away. */
export function claimServer(home: Home, url: string, now: number): { release(): void } {
  const path = serverFile(home);
  const record: ServerRecord = {
    ...ourselves(),
    url,
    started: new Date(now).toISOString(),
    token_file: serverTokenFile(home),
  };
  const ours = JSON.stringify(record);
  const held = claimFile(path, ours, (text) => living(text) === undefined);
  if (held !== undefined) throw running(parseServer(held) ?? { pid: 0, url: "just starting" });
  return { release: () => releaseClaim(path, ours) };
}

function living(text: string | undefined): ServerRecord | undefined {
  const found = parseServer(text);
  return found === undefined || isGone(found) ? undefined : found;
}

function running({ pid, url }: Pick<ServerRecord, "pid" | "url">): AppError {
  return new AppError(
    "server.running",
    `serve: this home has a server already: ${url} (process ${pid}); open it with \`cox serve open\`, or stop that process first`,
    { pid, url },
  );
}
