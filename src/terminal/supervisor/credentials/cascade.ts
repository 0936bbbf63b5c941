import { messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Log } from "../../../lib/base/log.ts";
import { call, isOk } from "../../../lib/client/call.ts";
import type { Places } from "../places.ts";
import type { Settings } from "../settings.ts";
import type { Environment } from "../step.ts";
import { type Credentials, isUsable, parseCredentials, readText, writeCredentials } from "./file.ts";

/** Where the login comes from. */
export type CredentialMode = "PVC" | "Secret" | "OAuthEnv" | "APIKey" | "MuxFetch" | "None";

export interface Provisioned {
  mode: CredentialMode;
  /** Sources that were there but of no use, and why. */
  passedOver: string[];
}

interface CascadeOptions {
  settings: Pick<Settings, "secretFile" | "hub" | "hostname">;
  places: Pick<Places, "credentials">;
  env: Environment;
  clock: Clock;
  log: Log;
  /** Nobody waits for a hub any more. */
  signal: AbortSignal;
}

/** The first source that works. One that is there and doesn't is said and passed over. */
export async function provision({ settings, places, env, clock, log, signal }: CascadeOptions): Promise<Provisioned> {
  const passedOver: string[] = [];
  const usable = (source: string, text: string | undefined): Credentials | undefined => {
    if (text === undefined) return undefined;
    const found = parseCredentials(text);
    if (found !== undefined && isUsable(found, clock.now())) return found;
    passedOver.push(`${source}: ${found === undefined ? "not a login" : "expired, and it can't be renewed"}`);
    return undefined;
  };

  if (usable("volume", readText(places.credentials))) return { mode: "PVC", passedOver };
  const secret = usable("secret", readText(settings.secretFile));
  if (secret !== undefined) {
    writeCredentials(places.credentials, secret.whole);
    return { mode: "Secret", passedOver };
  }
  if (env.CLAUDE_CODE_OAUTH_TOKEN) return { mode: "OAuthEnv", passedOver };
  if (env.ANTHROPIC_API_KEY) return { mode: "APIKey", passedOver };
  const fetched =
    settings.hub && usable("hub", await fetchFromHub(settings.hub, settings.hostname, { clock, log, signal }));
  if (fetched !== undefined) {
    writeCredentials(places.credentials, fetched.whole);
    return { mode: "MuxFetch", passedOver };
  }
  return { mode: "None", passedOver };
}

const TRIES = 3;

/** A hub that starts at the same time as we do gets a moment. */
async function fetchFromHub(
  { url, token }: NonNullable<Settings["hub"]>,
  sessionId: string,
  { clock, log, signal }: Pick<CascadeOptions, "clock" | "log" | "signal">,
): Promise<string | undefined> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      const options = { method: "POST", token, json: { session_id: sessionId }, timeoutMs: 10_000, signal } as const;
      const answer = await call(`${url}/api/v1/credentials/distribute`, options);
      if (isOk(answer)) return answer.text;
      log.warn("the hub gave no credentials", { status: answer.status });
      if (answer.status < 500) return undefined;
    } catch (error) {
      log.warn("could not ask the hub for credentials", { error: messageOf(error) });
    }
    if (attempt >= TRIES) return undefined;
    await clock.sleep(1000 * attempt, signal);
  }
  return undefined;
}
