import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { AppError } from "../../../contract/errors.ts";
import { topicOf } from "../../../core/screens/state/host-event.ts";
import type { Exchange, UpgradeRoute } from "../../../lib/http/route.ts";
import { socketText } from "../../../lib/http/socket-text.ts";
import type { TerminalHost } from "../host.ts";
import { errorBody } from "./errors.ts";
import type { Operations } from "./operations.ts";
import { OutputFeed } from "./output-feed.ts";
import { requestsOf } from "./requests.ts";

const Message = z.looseObject({ event: z.string(), request_id: z.union([z.string(), z.number()]).optional() });
const Query = z.object({
  subscribe: z.string().default(""),
  since_seq: z.coerce.number().int().min(0).optional().catch(undefined),
  since_hook_seq: z.coerce.number().int().min(0).optional().catch(undefined),
});

export interface SocketOptions {
  host: TerminalHost;
  operations: Operations;
  isToken(token: string): boolean;
}

/** The host's WebSocket. Nothing is told, and nothing done, for somebody who has not shown the token. */
export function socketRoute(options: SocketOptions): { route: UpgradeRoute; clients(): number; close(): void } {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  const requests = requestsOf(options.operations);
  const accept = (
    { request, url, identity }: Pick<Exchange, "request" | "url" | "identity">,
    socket: Duplex,
    head: Buffer,
  ) => {
    const isAdmitted = identity?.scope === "all"; // a hook's token is for other doors
    if (url.searchParams.has("token") && !isAdmitted) {
      throw new AppError("auth.required", "the token is not the one of this host");
    }
    server.handleUpgrade(request, socket, head, (ws) => {
      new Client(ws, options, requests, Query.parse(Object.fromEntries(url.searchParams))).begin(isAdmitted);
    });
  };
  return {
    // Whoever can't send a header or a query shows it in the first message.
    route: { path: "/ws", access: "open", accept },
    clients: () => server.clients.size,
    close() {
      for (const client of server.clients) client.close(1001, "the host ends");
      server.close();
    },
  };
}

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

class Client {
  readonly #ws: WebSocket;
  readonly #options: SocketOptions;
  readonly #requests: ReturnType<typeof requestsOf>;
  readonly #topics: ReadonlySet<string>;
  readonly #since: { state: number | undefined; hooks: number | undefined };
  #admitted = false;
  #feed: OutputFeed | undefined;

  constructor(
    ws: WebSocket,
    options: SocketOptions,
    requests: ReturnType<typeof requestsOf>,
    { subscribe, since_seq, since_hook_seq }: z.infer<typeof Query>,
  ) {
    this.#ws = ws;
    this.#options = options;
    this.#requests = requests;
    this.#topics = new Set(subscribe.split(",").map((topic) => (topic === "output" ? "pty" : topic)));
    this.#since = { state: since_seq, hooks: since_hook_seq };
  }

  begin(admitted: boolean): void {
    this.#ws.on("error", () => this.#ws.terminate()); // a client that went away, or sent nonsense
    this.#ws.on("message", (data, isBinary) => void this.#take(isBinary ? "" : socketText(data)));
    if (admitted) this.#admit();
  }

  #admit(): void {
    if (this.#admitted) return;
    this.#admitted = true;
    const { host } = this.#options;
    const stop = [host.events.listen((event) => this.#topics.has(topicOf[event.event]) && this.#send(event))];
    if (this.#topics.has("pty")) {
      const feed = new OutputFeed(host.terminal.ring, this.#ws);
      this.#feed = feed;
      stop.push(
        host.terminal.output.listen(() => feed.flush()),
        () => feed.close(),
      );
    }
    this.#ws.on("close", () => stop.forEach((end) => end()));
    if (this.#topics.has("state")) this.#tellState();
    if (this.#topics.has("hooks") && this.#since.hooks !== undefined) {
      for (const { json } of host.history.hooksSince(this.#since.hooks)) this.#send({ event: "hook:raw", data: json });
    }
  }

  /** What one missed, or how it stands. */
  #tellState(): void {
    const { history, tracker } = this.#options.host;
    const { state: since } = this.#since;
    if (since === undefined) return this.#send({ event: "transition", ...tracker.transition() });
    for (const { timestamp_ms: _, ...transition } of history.stateSince(since)) {
      this.#send({ event: "transition", ...transition });
    }
  }

  async #take(text: string): Promise<void> {
    const message = parse(text);
    if (message === undefined) return this.#refuse(new AppError("usage.invalid", "invalid message"), undefined);
    const { event, request_id } = message;
    if (event === "ping") return this.#reply({ event: "pong" }, request_id);
    if (event === "auth") return this.#authenticate(message.token, request_id);
    const answer = this.#requests.get(event);
    if (answer === undefined) return this.#refuse(new AppError("usage.invalid", "invalid message"), undefined);
    try {
      if (!this.#admitted) throw new AppError("auth.required", 'this needs the token: send {event:"auth", token}');
      this.#reply(await answer(message), request_id);
    } catch (error) {
      this.#refuse(error, request_id);
    }
  }

  #authenticate(token: unknown, requestId: string | number | undefined): void {
    if (typeof token === "string" && this.#options.isToken(token)) this.#admit();
    else this.#refuse(new AppError("auth.required", "the token is not the one of this host"), requestId);
  }

  #refuse(error: unknown, requestId: string | number | undefined): void {
    this.#reply({ event: "error", ...errorBody(error) }, requestId);
  }

  #reply(message: object, request_id: string | number | undefined): void {
    this.#send(request_id === undefined ? message : { ...message, request_id });
  }

  #send(message: object): void {
    this.#feed?.sendNow();
    if (this.#ws.readyState === this.#ws.OPEN) this.#ws.send(JSON.stringify(message));
  }
}

function parse(text: string): z.infer<typeof Message> | undefined {
  try {
    return Message.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
