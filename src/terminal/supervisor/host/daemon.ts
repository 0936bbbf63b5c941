import { call, isOk } from "../../../lib/client/call.ts";
import type { Settings } from "../settings.ts";
import { isObject, type Json } from "../setup/json-file.ts";

/** The beads daemon, as far as a supervisor needs it. It may be away at any time: nothing waits for it. */
export class Daemon {
  readonly #at: NonNullable<Settings["daemon"]>;

  constructor(at: NonNullable<Settings["daemon"]>) {
    this.#at = at;
  }

  /** A value of its configuration; `undefined` when it has none. */
  async config(key: string): Promise<Json | undefined> {
    const answer = await this.#ask(`/v1/configs/${encodeURIComponent(key)}`, "GET");
    const value = isObject(answer) ? answer.value : undefined;
    return isObject(value) ? value : undefined;
  }

  /** Whether somebody asked that this agent shall not be started again. */
  async stopRequested(bead: string): Promise<boolean> {
    const answer = await this.#ask(`/v1/beads/${encodeURIComponent(bead)}`, "GET");
    const fields = isObject(answer) ? answer.fields : undefined;
    return isObject(fields) && (fields.stop_requested === "true" || fields.stop_requested === true);
  }

  async close(bead: string): Promise<void> {
    const path = `/v1/beads/${encodeURIComponent(bead)}`;
    await this.#ask(path, "PATCH", { fields: { agent_state: "done" } });
    await this.#ask(`${path}/close`, "POST", {});
  }

  async #ask(path: string, method: "GET" | "POST" | "PATCH", json?: unknown): Promise<unknown> {
    const answer = await call(`${this.#at.url}${path}`, { method, token: this.#at.token, json, timeoutMs: 5000 });
    if (isOk(answer)) return answer.json;
    if (answer.status === 404) return undefined;
    throw new Error(`${method} ${path}: the daemon answered ${answer.status}`);
  }
}
