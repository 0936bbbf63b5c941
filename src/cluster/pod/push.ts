import { readFileSync } from "node:fs";
import { messageOf } from "../../contract/errors.ts";
import { httpClient } from "../../lib/client/http.ts";
import type { Transcript } from "./transcript.ts";

/** Of the seconds that a pod has left when it is asked to stop. */
const TIMEOUT_MS = 8000;

/** Hands the transcript to the server, if one was named. The work is done and reported: a server that is away changes nothing. */
export async function pushTranscript(
  run: ReturnType<Transcript["finish"]>,
  env: NodeJS.ProcessEnv,
  warn: (text: string) => void,
): Promise<void> {
  const url = env.COX_SERVER_URL ?? "";
  try {
    const token = env.COX_SERVER_TOKEN_FILE ? readFileSync(env.COX_SERVER_TOKEN_FILE, "utf8").trim() : undefined;
    const client = httpClient({ url: url.replace(/\/+$/, ""), token });
    await client.call("POST /runs/import", { body: run }, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    warn(`transcript: ${url}: ${messageOf(error)}`);
  }
}
