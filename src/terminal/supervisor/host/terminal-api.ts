import { z } from "zod";
import { AppError } from "../../../contract/errors.ts";
import { type Answer, call, isOk } from "../../../lib/client/call.ts";

const Prompt = z.looseObject({
  type: z.string(),
  subtype: z.string().nullish(),
  options: z.array(z.string()).nullish(),
});

/** What the terminal host says of the agent. Loose: hosts differ, and grow. */
const AgentView = z.looseObject({
  state: z.string(),
  since_seq: z.number().nullish(),
  prompt: Prompt.nullish(),
  error_detail: z.string().nullish(),
  error_category: z.string().nullish(),
  resume_at_epoch_ms: z.number().nullish(),
});
export type AgentView = z.infer<typeof AgentView>;

const Delivery = z.looseObject({ delivered: z.boolean(), reason: z.string().nullish() });
const HostStatus = z.looseObject({ state: z.string(), exit_code: z.number().nullish(), pid: z.number().nullish() });
export type HostStatus = z.infer<typeof HostStatus>;

/** The terminal host, by its HTTP API and nothing else: the original one can stand in the place of ours. */
export class TerminalApi {
  readonly #url: string;
  readonly #token: string;

  constructor(port: number, token: string) {
    this.#url = `http://127.0.0.1:${port}/api/v1`;
    this.#token = token;
  }

  async isHealthy(): Promise<boolean> {
    try {
      return isOk(await this.#ask("GET", "/health"));
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  agent = async (): Promise<AgentView> => AgentView.parse(await this.#json("GET", "/agent"));
  status = async (): Promise<HostStatus> => HostStatus.parse(await this.#json("GET", "/status"));
  screen = async (): Promise<string> => (await this.#done("GET", "/screen/text")).text;
  keys = async (keys: readonly string[]): Promise<void> => void (await this.#done("POST", "/input/keys", { keys }));
  signal = async (signal: string): Promise<void> => void (await this.#done("POST", "/signal", { signal }, SIGNAL_MS));
  shutdown = async (): Promise<void> => void (await this.#done("POST", "/shutdown", {}));

  async nudge(message: string): Promise<{ delivered: boolean; reason: string }> {
    const answer = await this.#ask("POST", "/agent/nudge", { message }, NUDGE_MS);
    // NOT_READY, NO_DRIVER and the like: worth another try.
    if (!isOk(answer)) return { delivered: false, reason: refusal(answer) };
    const { delivered, reason } = Delivery.parse(answer.json);
    return { delivered, reason: reason ?? "" };
  }

  async #json(method: "GET" | "POST", path: string): Promise<unknown> {
    return (await this.#done(method, path)).json;
  }

  async #done(method: "GET" | "POST", path: string, json?: unknown, timeoutMs?: number): Promise<Answer> {
    const answer = await this.#ask(method, path, json, timeoutMs);
    if (isOk(answer)) return answer;
    throw new AppError("host.unreachable", `terminal host: ${method} ${path}: ${refusal(answer)}`);
  }

  #ask(method: "GET" | "POST", path: string, json?: unknown, timeoutMs = TIMEOUT_MS): Promise<Answer> {
    return call(`${this.#url}${path}`, { method, token: this.#token, json, timeoutMs });
  }
}

const TIMEOUT_MS = 5000;
const SIGNAL_MS = 1000;
/** It waits for its turn to type, and between text and Enter. */
const NUDGE_MS = 30_000;

const ErrorBody = z.object({ error: z.object({ code: z.string(), message: z.string().nullish() }) });

function refusal({ status, json }: Answer): string {
  const body = ErrorBody.safeParse(json);
  return body.success
    ? `${status} ${body.data.error.code} ${body.data.error.message ?? ""}`.trim()
    : `it answered ${status}`;
}
