import { randomUUID } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import type { RecordFolder } from "./files.ts";
import { type HubSession, type Registration, requireUrl } from "./session.ts";

export type RegistryNews =
  | { event: "session:online"; session: HubSession }
  | { event: "session:offline"; session: HubSession }
  | { event: "session:updated"; session: HubSession };

export type KeptSession = Pick<HubSession, "id" | "url" | "metadata" | "registered_at_ms">;

/** Who is there. Written down at every change, so that a hub that was restarted knows them at once. */
export class Registry {
  readonly #sessions = new Map<string, HubSession>();
  readonly #listeners = new Set<(news: RegistryNews) => void>();
  readonly #files: RecordFolder<KeptSession>;

  constructor(files: RecordFolder<KeptSession>) {
    this.#files = files;
    for (const { record, secret } of files.readAll()) {
      this.#sessions.set(record.id, { ...record, token: secret, health_failures: 0 });
    }
  }

  get sessions(): HubSession[] {
    return [...this.#sessions.values()];
  }

  listen(hear: (news: RegistryNews) => void): () => void {
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }

  find(id: string): HubSession | undefined {
    return this.#sessions.get(id);
  }

  require(id: string): HubSession {
    const session = this.#sessions.get(id);
    if (session !== undefined) return session;
    throw new AppError("hub.not_found", `session ${id.slice(0, 128)}: not registered`);
  }

  /** New, or a heartbeat that says what has changed. An address has one session: whoever was there before is gone. */
  register(given: Registration, now: number): HubSession {
    const url = requireUrl(given.url);
    const known = given.id ? this.#sessions.get(given.id) : undefined;
    const { auth_token: token, metadata } = given;
    if (known !== undefined && known.url !== url && known.token !== "" && typeof token !== "string") {
      // Else whoever names another address would be sent the token of this one.
      const message = `session ${known.id}: is at ${known.url}; to move it, give its token again (auth_token)`;
      throw new AppError("hub.moved", message);
    }
    if (known !== undefined)
      return this.#update(known, { url, token: token ?? known.token, metadata: metadata ?? known.metadata });
    const twin = this.sessions.find((session) => session.url === url);
    // A host that doesn't know its id and registers again is the same host.
    if (twin !== undefined && !given.id) {
      return this.#update(twin, { url, token: token ?? twin.token, metadata: metadata ?? twin.metadata });
    }
    if (twin !== undefined) this.remove(twin.id);
    const id = given.id || randomUUID();
    const session: HubSession = {
      id,
      url,
      metadata: metadata ?? {},
      registered_at_ms: now,
      token: token ?? "",
      health_failures: 0,
    };
    this.#keep(session); // first: what can't be written down is not half known either
    this.#sessions.set(id, session);
    this.#tell({ event: "session:online", session });
    return session;
  }

  remove(id: string): HubSession | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    this.#files.remove(id);
    this.#sessions.delete(id);
    this.#tell({ event: "session:offline", session });
    return session;
  }

  #update(session: HubSession, next: Pick<HubSession, "url" | "token" | "metadata">): HubSession {
    session.health_failures = 0;
    const same =
      session.url === next.url &&
      session.token === next.token &&
      JSON.stringify(session.metadata) === JSON.stringify(next.metadata);
    if (same) return session;
    const moved = this.sessions.find((other) => other !== session && other.url === next.url);
    if (moved !== undefined) this.remove(moved.id);
    this.#keep({ ...session, ...next });
    Object.assign(session, next);
    this.#tell({ event: "session:updated", session });
    return session;
  }

  #keep({ id, url, metadata, registered_at_ms, token }: HubSession): void {
    this.#files.write(id, { id, url, metadata, registered_at_ms }, token);
  }

  #tell(news: RegistryNews): void {
    for (const hear of this.#listeners) hear(news);
  }
}
