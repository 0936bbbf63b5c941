import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { callRun } from "./agent-socket.ts";

let server: Server | undefined;
afterEach(() => server?.close());

/** A host that does with a connection what the test says. */
async function hostThat(serve: (socket: Socket) => void): Promise<string> {
  const path = join(temporaryFolder(), "agent.sock");
  server = createServer((socket) => serve(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server?.listen(path, resolve));
  return path;
}
const replies = (line: object) =>
  hostThat((socket) => socket.on("data", () => socket.write(`${JSON.stringify(line)}\n`)));

describe("a call to the run", () => {
  test("returns the result", async () => {
    const path = await replies({ id: 1, result: { id: "m1" } });
    expect(await callRun(path, "bus_post", { body: "x" })).toEqual({ id: "m1" });
  });

  test("throws what the run answered, by its code", async () => {
    const path = await replies({ id: 1, error: { code: "limit.exceeded", message: "too many", details: { n: 1 } } });
    const refused = callRun(path, "spawn_run", { prompt: "x" });
    await expect(refused).rejects.toMatchObject({ code: "limit.exceeded", message: "too many", details: { n: 1 } });
  });

  test("that nobody takes, or that is broken off, says so", async () => {
    const nowhere = callRun("/nowhere/agent.sock", "task_status", {});
    await expect(nowhere).rejects.toMatchObject({ code: "host.unreachable" });
    const path = await hostThat((socket) => socket.destroy());
    await expect(callRun(path, "task_status", {})).rejects.toMatchObject({ code: "host.unreachable" });
  });

  test("is broken off by whoever made it", async () => {
    let noticed: (() => void) | undefined;
    const closed = new Promise<void>((resolve) => {
      noticed = resolve;
    });
    const asked = new AbortController();
    const path = await hostThat((socket) => {
      socket.on("close", () => noticed?.()).resume();
      asked.abort(new Error("enough"));
    });
    await expect(callRun(path, "ask_user", { question: "?" }, asked.signal)).rejects.toThrow("enough");
    await closed;
    await expect(callRun(path, "ask_user", { question: "?" }, asked.signal)).rejects.toThrow("enough");
  });
});
