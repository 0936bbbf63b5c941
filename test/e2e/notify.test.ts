import { createHmac } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { NotifyMessage } from "../../src/core/notify/message.ts";
import { type Scene, scene, until } from "../support/cox.ts";

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  message: NotifyMessage;
}

/** A webhook of ours; it refuses as many as told. */
class Hook {
  readonly received: Received[] = [];
  refuse = 0;
  refused = 0;
  #server: Server | undefined;

  async listen(): Promise<string> {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += String(chunk);
      });
      request.on("end", () => {
        if (this.refuse > 0) {
          this.refuse -= 1;
          this.refused += 1;
          response.writeHead(503).end();
          return;
        }
        this.received.push({ headers: request.headers, body, message: JSON.parse(body) as NotifyMessage });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#server = server;
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  }

  close(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

async function setUp(settings: Record<string, string> = {}): Promise<{ made: Scene; hook: Hook }> {
  const made = scene();
  const hook = new Hook();
  onTestFinished(() => hook.close());
  const all = { "notify.webhook.url": await hook.listen(), "notify.request_after": "0.1", ...settings };
  for (const [key, value] of Object.entries(all)) await made.cox(["config", "set", key, value]);
  return { made, hook };
}

const demo = ["run", "--agent", "demo"];
const waiting = (made: Scene) => {
  const folder = join(made.home, "outbox");
  return existsSync(folder) ? readdirSync(folder).filter((name) => name !== "failed") : [];
};

describe("a webhook", () => {
  test("is told of a request that waits, signed, and the answer it names works", async () => {
    const { made, hook } = await setUp({ "notify.webhook.secret": "env:HOOK_SECRET" });
    const env = { HOOK_SECRET: "open sesame" };
    const started = await made.cox([...demo, "-d", "--project", "p", "--task", "t", "--", "@permission may I?"], {
      env,
    });
    const runId = made.idOf(started.stdout);
    const { headers, body, message } = await until(() => hook.received[0]);
    expect(headers["x-coxswain-signature"]).toBe(
      `sha256=${createHmac("sha256", "open sesame").update(body).digest("hex")}`,
    );
    expect(message).toMatchObject({
      event: "request",
      text: "may I?",
      run: { id: runId, handle: 1, project: "p", task: "t", agent: "demo" },
    });
    expect(body).not.toContain("sesame");
    expect(message.answer).toBe("cox answer r1.p0 allow");
    const [, ...answer] = (message.answer ?? "").split(" ");
    expect((await made.cox(answer)).code).toBe(0);
    expect((await made.cox(["wait", runId])).code).toBe(0);
    await until(() => waiting(made).length === 0);
  });

  test("is told of a run that failed and of a budget, never of what was answered at once", async () => {
    const { made, hook } = await setUp({ "notify.request_after": "30" });
    await made.cox([...demo, "--permissions", "allow", "--", "@permission may I?\n@say quick"]);
    await made.cox([...demo, "--max-cost", "1", "--", "@usage 1 1 0.9\n@crash 3"]);
    await until(() => hook.received.length >= 2);
    const told = Object.fromEntries(hook.received.map(({ message }) => [message.event, message.text]));
    expect(told).toEqual({
      budget: "this run has spent $0.90 of $1.00 (--max-cost)",
      failed: "the agent exited with code 3",
    });
  });

  test("that is down doesn't disturb the run, and gets it from whoever comes next", async () => {
    const { made, hook } = await setUp();
    hook.refuse = 1;
    const { code, stderr } = await made.cox([...demo, "--", "@crash 3"]);
    expect(code).toBe(3);
    expect(stderr).not.toContain("webhook");
    await until(() => hook.refused === 1 && waiting(made).some((name) => name.endsWith(".json")));
    const listed = await made.cox(["notify", "ls"]);
    expect(listed.stdout).toContain("webhook: it answered with 503");
    // The time has come: any `cox` passes it on, without being asked to.
    expect(hook.received).toEqual([]);
    makeDue(made);
    await made.cox(["ls"]);
    await until(() => hook.received.length === 1);
    expect(hook.received[0]?.message.event).toBe("failed");
    await until(() => waiting(made).length === 0);
  });

  test("is asked only for what is wanted", async () => {
    const { made, hook } = await setUp({ "notify.events": "budget" });
    await made.cox([...demo, "--max-cost", "1", "--", "@usage 1 1 0.9\n@crash 3"]);
    await until(() => hook.received.length > 0 && waiting(made).length === 0);
    expect(hook.received.map(({ message }) => message.event)).toEqual(["budget"]);
  });

  test("hears of the end of a loop once, not of its attempts", async () => {
    const { made, hook } = await setUp();
    await made.cox(["loop", "--agent", "demo", "--delay", "1ms", "--max-attempts", "2", "--", "@crash 3"]);
    await until(() => hook.received.length > 0 && waiting(made).length === 0);
    expect(hook.received.map(({ message }) => [message.event, message.text])).toEqual([
      ["failed", "2 attempts are enough (--max-attempts)"],
    ]);
  });
});

describe("cox notify", () => {
  test("test sends one message by each way that is set up", async () => {
    const made = scene();
    const said = join(made.folder, "said.json");
    const program = join(made.folder, "tell me");
    writeFileSync(program, `#!/bin/sh\n/bin/cat > '${said}'\n`, { mode: 0o755 });
    const hook = new Hook();
    onTestFinished(() => hook.close());
    const url = await hook.listen();
    writeFileSync(
      join(await homeOf(made), "config.yaml"),
      `notify:\n  webhook: { url: "${url}" }\n  command: ["${program}"]\n  desktop: true\n`,
    );
    const { code, stdout } = await made.cox(["notify", "test"], { env: { PATH: join(made.folder, "bin") } });
    expect(stdout).toBe(
      "webhook: sent\ndesktop: failed: notify-send: not found; install libnotify-bin\ncommand: sent\n",
    );
    expect(code).toBe(1);
    expect((await made.cox(["notify", "test", "--channel", "command"])).stdout).toBe("command: sent\n");
    expect(JSON.parse(readFileSync(said, "utf8"))).toMatchObject({ event: "test", title: "Coxswain can reach you" });
    expect(hook.received.map(({ message }) => message.event)).toEqual(["test"]);
  });

  test.each([
    [["notify", "test"], "no way to you is set up"],
    [["notify", "test", "--channel", "pigeon"], "--channel pigeon: unknown"],
    [["config", "set", "notify.webhook.url", "ftp://x"], "is not an address that begins with https://"],
    [["config", "set", "notify.webhook.secret", "hunter2"], "is not env:NAME or file:PATH"],
    [["config", "set", "notify.events", "all"], "is not some of request, failed, completed, budget"],
  ])("%j is refused", async (args, message) => {
    const { code, stderr } = await scene().cox(args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  test("ls says when there is nothing", async () => {
    expect((await scene().cox(["notify", "ls"])).stdout).toBe("nothing waits to be sent\n");
  });
});

/** As if the time until the next attempt had passed. */
function makeDue(made: Scene): void {
  const folder = join(made.home, "outbox");
  for (const name of waiting(made))
    renameSync(join(folder, name), join(folder, name.replace(/^\d{13}/, "0000000000000")));
}

async function homeOf(made: Scene): Promise<string> {
  await made.cox(["config", "set", "color", "never"]);
  return made.home;
}
