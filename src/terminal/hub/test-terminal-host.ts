import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { socketText } from "../../lib/http/socket-text.ts";

/** As little of a terminal host as a hub needs, and what it was asked. */
export interface TestTerminalHost {
  url: string;
  calls: { path: string; body: unknown; token: string | undefined }[];
  lines: string[];
  /** Sockets that asked for something. */
  sockets: Set<WebSocket>;
  heard: unknown[];
  tell(message: object): void;
  setHealthy(healthy: boolean): void;
  close(): Promise<void>;
}

export async function testTerminalHost({ token = "" }: { token?: string } = {}): Promise<TestTerminalHost> {
  let healthy = true;
  const calls: TestTerminalHost["calls"] = [];
  const heard: unknown[] = [];
  const sockets = new Set<WebSocket>();
  const lines = ["$ ready"];
  const answers: Record<string, unknown> = {
    health: { status: "running" },
    screen: { lines, ansi: lines, cols: 80, rows: 24, alt_screen: false, cursor: null, seq: 1 },
    status: { state: "running", pid: 1 },
    agent: { agent: "unknown", state: "idle" },
  };
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      const path = (request.url ?? "").replace("/api/v1/", "");
      const shown = request.headers.authorization?.replace("Bearer ", "");
      const answer = (status: number, json: unknown) => response.writeHead(status).end(JSON.stringify(json));
      if (path === "health") return answer(healthy ? 200 : 503, answers.health);
      if (token !== "" && shown !== token) return answer(401, { error: { code: "UNAUTHORIZED", message: "no" } });
      if (request.method === "GET") return answer(path in answers ? 200 : 404, answers[path] ?? {});
      calls.push({ path, body: text === "" ? undefined : JSON.parse(text), token: shown });
      return path === "agent/respond"
        ? answer(409, { error: { code: "NO_PROMPT" } })
        : answer(200, { bytes_written: 1 });
    });
  });
  const upgrades = new WebSocketServer({ server, path: "/ws" });
  upgrades.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.send(JSON.stringify({ event: "transition", prev: "idle", next: "idle", seq: 1 }));
    socket.on("message", (data) => {
      const message = JSON.parse(socketText(data));
      heard.push(message);
      if (message.request_id !== undefined)
        socket.send(JSON.stringify({ event: "pong", request_id: message.request_id }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of upgrades.clients) socket.terminate();
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    lines,
    sockets,
    heard,
    tell: (message) => {
      for (const socket of sockets) socket.send(JSON.stringify(message));
    },
    setHealthy: (now) => {
      healthy = now;
    },
    close,
  };
}
