import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { agentSocket } from "../../../test/support/agent-socket.ts";
import { deferred } from "../../../test/support/deferred.ts";
import { pipeToRun } from "./tool-pipe.ts";

const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

test("carries bytes both ways until the agent is done, and takes back what it asked", async () => {
  const takenBack = deferred<void>();
  const asked = deferred<void>();
  const { path } = await agentSocket({
    ask_user: (_, signal) => {
      asked.resolve();
      return new Promise(() => signal.addEventListener("abort", () => takenBack.resolve()));
    },
  });
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const over = pipeToRun(path, stdin, stdout);
  stdin.write(line({ id: 1, method: "ping" }));
  expect(String((await stdout.iterator({ destroyOnReturn: false }).next()).value)).toBe(line({ id: 1, result: {} }));
  const call = { id: 2, method: "tools/call", params: { name: "ask_user", arguments: { question: "?" } } };
  stdin.write(line(call));
  await asked.promise;
  stdin.end();
  await over;
  await takenBack.promise;
});

test("ends with the run", async () => {
  const { path, server } = await agentSocket();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const over = pipeToRun(path, stdin, stdout);
  stdin.write(line({ id: 1, method: "ping" }));
  await stdout.iterator({ destroyOnReturn: false }).next();
  server.close();
  await over;
  expect(stdin.destroyed).toBe(true);
});

test("says when there is no run", async () => {
  const piped = pipeToRun("/nowhere/agent.sock", new PassThrough(), new PassThrough());
  await expect(piped).rejects.toMatchObject({
    code: "host.unreachable",
    message: expect.stringContaining("reach the run (/nowhere/agent.sock)"),
  });
});

test("says nothing to a socket that others could have put there", async () => {
  const { path } = await agentSocket();
  chmodSync(dirname(path), 0o777);
  await expect(pipeToRun(path, new PassThrough(), new PassThrough())).rejects.toMatchObject({ code: "store.shared" });
});
