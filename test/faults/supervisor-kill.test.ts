import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root, until } from "../support/cox.ts";
import { agentScript, type SupervisedScene, standIn, supervisedScene } from "../support/supervised.ts";

/** Rotates at each renewal and takes the newest token only. */
async function strictServer(): Promise<{ server: Server; url: string; newest: () => string }> {
  let n = 0;
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      if (JSON.parse(text).refresh_token !== `refresh-${n}`)
        return void response.writeHead(400).end('{"error":"invalid_grant"}');
      n += 1;
      response.end(JSON.stringify({ access_token: `access-${n}`, refresh_token: `refresh-${n}`, expires_in: 28_800 }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    newest: () => `refresh-${n}`,
  };
}

function prepare(): SupervisedScene {
  const made = supervisedScene();
  made.program("claude", agentScript(`say({ state: "idle" }); setInterval(() => {}, 1000);`));
  mkdirSync(join(made.state, "claude"), { recursive: true });
  const login = { accessToken: "access-0", refreshToken: "refresh-0", expiresAt: Date.now() + 60_000 };
  writeFileSync(join(made.state, "claude/.credentials.json"), JSON.stringify({ claudeAiOauth: login, kept: 1 }));
  return made;
}

/** A supervisor killed just before its n-th step that touches the disk or starts a program. */
async function killedAt(n: number): Promise<{ survived: boolean; lost: boolean }> {
  const made = prepare();
  const { server, url, newest } = await strictServer();
  const steps = join(made.scene.folder, "steps");
  const args = [`--terminal=${standIn}`, "--nudge="];
  const env = { BOAT_OAUTH_URL: url };
  try {
    const first = await made.supervise(args, {
      ...env,
      NODE_OPTIONS: `--import=${join(root, "test/support/kill-at.mjs")}`,
      COX_TEST_KILL_AT: String(n),
      COX_TEST_STEPS_FILE: steps,
    });
    const exited = new Promise((resolve) => first.child.once("exit", resolve));
    const settled = Promise.all([first.said("login checked"), first.said("agent started")]).catch(() => {});
    await Promise.race([exited, settled]);
    first.child.kill("SIGTERM");
    await exited;
    const survived = existsSync(steps);

    // Whatever moment it was: the file is whole, and holds a token that the server gave.
    const file = JSON.parse(readFileSync(join(made.state, "claude/.credentials.json"), "utf8"));
    expect(file).toMatchObject({ kept: 1, claudeAiOauth: { refreshToken: expect.stringMatching(/^refresh-[01]$/) } });
    const lost = file.claudeAiOauth.refreshToken !== newest();

    // The next one works in the same place; a token that was lost on the way is a failure to be told, not an end.
    const second = await made.supervise(args, env);
    await until(async () => (await second.status().catch(() => undefined))?.agent_state === "idle");
    if (lost) await second.said("could not renew the login");
    expect((await second.status()).credentials.failures).toBe(lost ? 1 : 0);
    second.child.kill("SIGTERM");
    expect((await second.done).code).toBe(0);
    return { survived, lost };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe("a supervisor killed at every step", () => {
  test("leaves a place in which the next one works", { timeout: 600_000 }, async () => {
    let losses = 0;
    let n = 1;
    for (let survivors = 0; survivors < 2; n += 2) {
      const pair = await Promise.all([killedAt(n), killedAt(n + 1)]);
      survivors += pair.filter(({ survived }) => survived).length;
      losses += pair.filter(({ lost }) => lost).length;
    }
    console.log(`killed at ${n - 2} points; at ${losses} of them between the server's answer and the disk`);
    expect(n).toBeGreaterThan(40);
    expect(losses).toBeGreaterThan(0);
  });
});
