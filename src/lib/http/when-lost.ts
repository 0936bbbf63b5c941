import type { Socket } from "node:net";

const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls when the connection is gone; returns how to take that back. Node tells a response that its connection closed only
 * once its turn has come: one that waits behind another on the same connection would never hear of it.
 */
export function whenLost(socket: Socket, call: () => void): () => void {
  const calls = waiting.get(socket) ?? watch(socket);
  calls.add(call);
  return () => void calls.delete(call);
}

/** One listener, however many requests come over it. */
function watch(socket: Socket): Set<() => void> {
  const calls = new Set<() => void>();
  waiting.set(socket, calls);
  socket.on("close", () => {
    for (const call of calls) call();
  });
  return calls;
}
