import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { callRun } from "../../lib/client/agent-socket.ts";
import { sendCommand } from "../../lib/client/socket.ts";
import { agentSocketPath, homeAt, socketPath } from "../store/home.ts";
import { openUnixServer } from "./unix-server.ts";

const run = "20260801-1100000000-0000042-0001";
const shared = { code: "store.shared" };

/** A home whose sockets lie in the temporary folder, since its own name is too long for them. */
const home = homeAt(join("/", "long".repeat(30)));

beforeEach(() => vi.stubEnv("TMPDIR", temporaryFolder()));
afterEach(() => vi.unstubAllEnvs());

describe("whoever is first in the temporary folder", () => {
  const places = {
    "with a folder open to them": (folder: string) => {
      mkdirSync(folder);
      chmodSync(folder, 0o777);
    },
    "with a link to one of theirs": (folder: string) => symlinkSync(temporaryFolder(), folder),
  };

  test.each(Object.entries(places))("gets no host to listen there: %s", async (_, take) => {
    take(dirname(socketPath(home, run)));
    await expect(openUnixServer(socketPath(home, run), async () => {})).rejects.toMatchObject(shared);
  });

  test.each(Object.entries(places))("hears no answer and no question: %s", async (_, take) => {
    take(dirname(socketPath(home, run)));
    let heard = 0;
    for (const path of [socketPath(home, run), agentSocketPath(home, run)]) {
      const server = createServer(() => (heard += 1));
      await new Promise<void>((resolve) => server.listen(path, resolve));
      onTestFinished(() => void server.close());
    }
    const answer = { type: "answer" as const, pendingId: "p1", answer: { optionId: "allow" }, by: "ada" };
    await expect(sendCommand(socketPath(home, run), answer as never)).rejects.toMatchObject(shared);
    await expect(callRun(agentSocketPath(home, run), "bus_read", {})).rejects.toMatchObject(shared);
    expect(heard).toBe(0);
  });

  test("and nobody was: the folder is made closed, and used again", async () => {
    const folder = dirname(socketPath(home, run));
    for (let time = 0; time < 2; time += 1) {
      const server = await openUnixServer(socketPath(home, run), async () => {});
      server.close();
    }
    rmSync(folder, { recursive: true });
  });
});
