import { socketAddress } from "./stream.ts";

export interface LineEvents {
  onSize(cols: number, rows: number): void;
  onOutput(bytes: Uint8Array): void;
  onState(state: string): void;
  onClosed(): void;
}

export interface Line {
  type(text: string): void;
  close(): void;
}

type Message =
  | { event: "health"; terminal: { cols: number; rows: number } }
  | { event: "replay"; data: string; offset: number; next_offset: number }
  | { event: "pty"; data: string; offset: number }
  | { event: "transition"; next: string }
  | { event: "exit" };

const SIZE_MS = 2000;

/** One terminal's own line. What it has said comes first; of what comes twice the second is left out. */
export function openLine(id: string, { onSize, onOutput, onState, onClosed }: LineEvents): Line {
  const socket = new WebSocket(socketAddress(`/api/v1/terminals/${encodeURIComponent(id)}/line`));
  const send = (message: object) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  // Nobody tells when another client makes the terminal larger or smaller.
  const asking = setInterval(() => send({ event: "health:get" }), SIZE_MS);
  let seen: number | undefined;
  const take = (data: string, offset: number) => {
    const bytes = bytesOf(data);
    const end = offset + bytes.length;
    const fresh = seen === undefined || offset >= seen ? bytes : bytes.subarray(Math.min(seen - offset, bytes.length));
    if (fresh.length > 0) onOutput(fresh);
    seen = Math.max(seen ?? 0, end);
  };
  socket.addEventListener("open", () => {
    send({ event: "health:get" });
    send({ event: "replay:get", offset: 0 });
  });
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    switch (message.event) {
      case "health":
        return onSize(message.terminal.cols, message.terminal.rows);
      case "replay":
        return take(message.data, message.offset);
      case "pty":
        // Before the replay it would be drawn on an empty screen.
        if (seen !== undefined) take(message.data, message.offset);
        return;
      case "transition":
        return onState(message.next);
      case "exit":
        return onState("exited");
    }
  });
  const closed = () => {
    clearInterval(asking);
    onClosed();
  };
  socket.addEventListener("close", closed);
  return {
    type: (text) => void send({ event: "input:send:raw", data: base64(text) }),
    close: () => {
      clearInterval(asking);
      socket.removeEventListener("close", closed);
      socket.close();
    },
  };
}

const bytesOf = (data: string): Uint8Array => Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
