import type WebSocket from "ws";
import { z } from "zod";
import { AppError, messageOf } from "../../contract/errors.ts";
import { socketText } from "../../lib/http/socket-text.ts";
import type { Registry } from "./registry.ts";
import type { HubSession } from "./session.ts";
import { proxied } from "./upstream.ts";

const Sessions = z.array(z.string().max(128)).max(1000);
const Message = z.discriminatedUnion("event", [
  z.object({ event: z.literal("subscribe"), sessions: Sessions }),
  z.object({ event: z.literal("unsubscribe"), sessions: Sessions }),
  z.object({
    event: z.literal("input:send"),
    session: z.string().max(128),
    text: z.string().max(1024 * 1024),
    enter: z.boolean().default(false),
  }),
  z.object({
    event: z.literal("resize"),
    session: z.string().max(128),
    cols: z.int().positive(),
    rows: z.int().positive(),
  }),
]);

const BATCH_MS = 1000;
const MAX_BUFFERED = 4 * 1024 * 1024;

/** Everything at once, for those who watch many: who comes and goes, state changes, and thumbnails at 1 Hz. */
export class Overview {
  readonly #registry: Registry;
  readonly #clients = new Map<WebSocket, Set<string>>();
  readonly #timer: NodeJS.Timeout;
  readonly #stop: () => void;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#timer = setInterval(() => this.#sendScreens(), BATCH_MS);
    this.#timer.unref();
    this.#stop = registry.listen(({ event, session }) => {
      const { id, url, metadata } = session;
      if (event === "session:offline") this.#tellAll({ event, session: id });
      else this.#tellAll({ event: "session:online", session: id, url, metadata });
    });
  }

  accept(client: WebSocket, scope: "read" | "all"): void {
    this.#clients.set(client, new Set());
    client.on("error", () => client.terminate());
    client.on("close", () => this.#clients.delete(client));
    client.on("message", (data) => void this.#take(client, scope, socketText(data)));
    const sessions = this.#registry.sessions.map(({ id, url, state, metadata }) => ({
      id,
      url,
      state: state ?? "unknown",
      metadata,
    }));
    send(client, { event: "sessions", sessions });
  }

  /** A host's own news, to those who watch it. */
  heard(session: HubSession, message: Readonly<Record<string, unknown>>): void {
    for (const [client, watched] of this.#clients) {
      if (watched.has(session.id)) send(client, { ...message, session: session.id });
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#stop();
    for (const client of this.#clients.keys()) client.close(1001, "the hub ends");
  }

  async #take(client: WebSocket, scope: "read" | "all", text: string): Promise<void> {
    try {
      const message = Message.parse(JSON.parse(text));
      const watched = this.#clients.get(client) ?? new Set();
      switch (message.event) {
        case "subscribe":
          for (const id of message.sessions) watched.add(id);
          return send(client, this.#screens(message.sessions));
        case "unsubscribe":
          for (const id of message.sessions) watched.delete(id);
          return;
        case "input:send":
        case "resize": {
          if (scope !== "all") throw new AppError("auth.scope", "this token may only watch");
          const { event, session, ...body } = message;
          await proxied(this.#registry.require(session), event === "resize" ? "resize" : "input", body);
          return;
        }
      }
    } catch (error) {
      const why = error instanceof AppError ? messageOf(error) : "invalid message";
      send(client, { event: "error", message: why });
    }
  }

  #screens(ids: Iterable<string>) {
    const screens = [...ids].flatMap((id) => {
      const session = this.#registry.find(id);
      if (session?.screen === undefined) return [];
      const { lines, ansi, cols, rows, seq } = session.screen.value;
      // Whoever subscribes late, or whose host has no socket, hears of no transition.
      return [{ session: id, state: session.state ?? "unknown", lines, ansi, cols, rows, seq }];
    });
    return { event: "screen_batch", screens };
  }

  #sendScreens(): void {
    for (const [client, watched] of this.#clients) {
      // Who doesn't keep up gets the next picture instead of all the old ones.
      if (watched.size > 0 && client.bufferedAmount < MAX_BUFFERED) send(client, this.#screens(watched));
    }
  }

  #tellAll(message: object): void {
    for (const client of this.#clients.keys()) send(client, message);
  }
}

function send(client: WebSocket, message: object): void {
  if (client.readyState === client.OPEN) client.send(JSON.stringify(message));
}
