import { createStore } from "../base/store.ts";

/** A terminal of the hub, as its tile shows it. */
export interface Tile {
  id: string;
  url: string;
  state: string;
  metadata: Readonly<Record<string, unknown>>;
  lines: readonly string[];
  cols: number;
  rows: number;
}

export interface Tiles {
  state: "opening" | "open" | "lost";
  items: ReadonlyMap<string, Tile>;
}

export const tiles = createStore<Tiles>({ state: "opening", items: new Map() });

const AGAIN_MS = 2000;

/** Follows all terminals for as long as somebody looks: who is there, their states, their screens once a second. */
export function followTerminals(): () => void {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = false;
  const connect = () => {
    socket = new WebSocket(socketAddress("/api/v1/terminals/stream"));
    socket.addEventListener("message", ({ data }) =>
      hear(JSON.parse(String(data)) as Message, (message) => socket?.send(JSON.stringify(message))),
    );
    socket.addEventListener("close", () => {
      if (over) return;
      tiles.set({ ...tiles.get(), state: "lost" });
      timer = setTimeout(connect, AGAIN_MS);
    });
  };
  connect();
  return () => {
    over = true;
    clearTimeout(timer);
    socket?.close();
    tiles.set({ state: "opening", items: new Map() });
  };
}

export const socketAddress = (path: string): string => `${location.origin.replace(/^http/, "ws")}${path}`;

type Message =
  | { event: "sessions"; sessions: readonly Pick<Tile, "id" | "url" | "state" | "metadata">[] }
  | { event: "session:online"; session: string; url: string; metadata: Tile["metadata"] }
  | { event: "session:offline"; session: string }
  | { event: "transition"; session: string; next: string }
  | { event: "exit"; session: string }
  | {
      event: "screen_batch";
      screens: readonly { session: string; state: string; lines: readonly string[]; cols: number; rows: number }[];
    }
  | { event: "error"; message: string };

function hear(message: Message, send: (message: object) => void): void {
  const items = new Map(tiles.get().items);
  const change = (id: string, part: Partial<Tile>) => {
    const known = items.get(id);
    if (known !== undefined) items.set(id, { ...known, ...part });
  };
  switch (message.event) {
    case "sessions":
      items.clear();
      for (const session of message.sessions) items.set(session.id, { ...blank, ...session });
      send({ event: "subscribe", sessions: message.sessions.map(({ id }) => id) });
      break;
    case "session:online": {
      const { session: id, url, metadata } = message;
      items.set(id, { ...blank, ...items.get(id), id, url, metadata });
      send({ event: "subscribe", sessions: [id] });
      break;
    }
    case "session:offline":
      items.delete(message.session);
      break;
    case "transition":
      change(message.session, { state: message.next });
      break;
    case "exit":
      change(message.session, { state: "exited" });
      break;
    case "screen_batch":
      for (const { session, state, lines, cols, rows } of message.screens)
        change(session, { state, lines, cols, rows });
      break;
    case "error":
      return;
  }
  tiles.set({ state: "open", items });
}

const blank: Tile = { id: "", url: "", state: "unknown", metadata: {}, lines: [], cols: 80, rows: 24 };
