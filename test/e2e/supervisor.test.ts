import { existsSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { processesWithEnv } from "../../src/lib/process/holders/identity.ts";
import { scene, until } from "../support/cox.ts";
import { agentScript, standIn, supervisedScene } from "../support/supervised.ts";

const OBEDIENT = `
note({ argv: process.argv.slice(2), cwd: process.cwd() });
process.on("SIGTERM", () => { note({ got: "SIGTERM" }); process.exit(3); });
process.on("SIGHUP", () => {});
heard((message) => { note(message); if (message.nudge) say({ state: "working" }); });
say({ state: "idle" });
`;

describe("a supervisor with a stand-in for the terminal host", () => {
  test("prepares the place, starts the agent, nudges it, and ends well", async () => {
    const made = supervisedScene();
    made.program("claude", agentScript(OBEDIENT));
    const run = await made.supervise([`--terminal=${standIn}`, "--command=claude --say 'two words'", "--nudge=begin"], {
      BOAT_ROLE: "crew",
      BOAT_AGENT: "ada",
      ANTHROPIC_API_KEY: "sk-secret-secret-secret",
    });
    await run.said("gave the first prompt");
    await until(() => made.hostSaw().some((entry) => "nudge" in entry));
    // The agent's words are whole, and what the host appends reaches it.
    expect(made.hostSaw()).toContainEqual({
      argv: ["--say", "two words", "--appended", "by the host"],
      cwd: made.workspace,
    });
    const status = await run.status();
    expect(status).toMatchObject({ phase: "running", role: "crew", restarts: 0, credentials: { mode: "APIKey" } });
    expect(status.steps.filter(({ failed }) => failed)).toEqual([]);
    expect(status.steps).toHaveLength(14);
    expect(readlinkSync(join(made.home, ".claude"))).toBe(join(made.state, "claude"));
    expect(existsSync(join(made.workspace, ".claude/settings.json"))).toBe(true);
    expect(readFileSync(join(made.workspace, "CLAUDE.md"), "utf8")).toContain("Role: crew");

    run.child.kill("SIGTERM");
    const { code, stderr } = await run.done;
    expect(code, stderr).toBe(0);
    expect(made.hostSaw()).toContainEqual({ got: "SIGTERM" });
    expect(made.hostSaw().filter(({ allowed }) => allowed === false)).toEqual([]);
    expect(made.hostSaw().find(({ start }) => start)?.mux).toBe(""); // it must not register itself
    expect(stderr).not.toContain("sk-secret");
    expect(existsSync(join(made.state, "supervisor.json"))).toBe(false);
  });

  test("answers a dialog by its words: moves, looks, and only then presses Enter", async () => {
    const made = supervisedScene();
    made.program(
      "claude",
      agentScript(`
let at = 0;
const draw = () => say({ state: "prompt", screen: " Accessing workspace:\\n\\n" + ["No, exit", "Yes, I trust this folder"].map((o, i) => (i === at ? " ❯ " : "   ") + o).join("\\n") + "\\n\\n Enter to confirm" });
heard(({ keys }) => { note({ keys }); for (const key of keys) { if (key === "Down") at += 1; if (key === "Enter") { if (at === 0) process.exit(1); say({ state: "idle", screen: "" }); return; } } draw(); });
draw();
`),
    );
    const run = await made.supervise([`--terminal=${standIn}`, "--nudge="]);
    await until(async () => (await run.status().catch(() => undefined))?.agent_state === "idle");
    expect(made.hostSaw().filter((entry) => "keys" in entry)).toEqual([{ keys: ["Down"] }, { keys: ["Enter"] }]);
  });

  test("starts an agent that ends again, says how each one ended, and gives up", async () => {
    const made = supervisedScene();
    made.program("claude", agentScript("process.exit(7);"));
    const run = await made.supervise([`--terminal=${standIn}`, "--max-restarts=2"]);
    const { code, stderr } = await run.done;
    expect(code).toBe(1);
    expect(run.lines().map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^agent ended 7 after \ds \(restart 1\/2\)$/),
        expect.stringMatching(/^agent ended 7 after \ds \(restart 2\/2\)$/),
      ]),
    );
    expect(stderr).toContain("max restarts (2) reached");
  });

  test("a rate limit parks it until the reported time, and the host stays for the probes", async () => {
    const made = supervisedScene();
    const reset = Math.floor(Date.now() / 1000) + 3600;
    made.program(
      "claude",
      agentScript(
        `say({ state: "error", error_category: "rate_limited", error_detail: "limit reached|${reset}" }); setInterval(() => {}, 1000);`,
      ),
    );
    const run = await made.supervise([`--terminal=${standIn}`]);
    await run.said("parked: the agent reached a rate limit");
    await until(async () => (await run.status()).phase === "parked");
    expect((await run.status()).until).toBe(new Date(reset * 1000).toISOString());
    expect((await fetch(`http://127.0.0.1:${made.port}/api/v1/health`)).status).toBe(200);
  });

  test("asked to stop, it waits until the agent is idle, and stays down", async () => {
    const made = supervisedScene();
    made.program(
      "claude",
      agentScript(
        `say({ state: "working" }); setTimeout(() => say({ state: "idle" }), 2500); setInterval(() => {}, 1000);`,
      ),
    );
    const run = await made.supervise([`--terminal=${standIn}`, "--nudge="]);
    await until(async () => (await run.status().catch(() => undefined))?.agent_state === "working");
    const headers = { authorization: `Bearer ${readFileSync(join(made.state, "terminal-token"), "utf8").trim()}` };
    const url = `http://127.0.0.1:${made.statusPort}/api/v1/supervisor/stop`;
    expect((await fetch(url, { method: "POST" })).status).toBe(401);
    expect((await fetch(url, { method: "POST", headers })).status).toBe(202);
    expect((await run.done).code).toBe(0);
    expect(run.lines().map(({ message }) => message)).toContain("asked to stay down");
  });

  test("a file asks as well", async () => {
    const made = supervisedScene();
    made.program("claude", agentScript(`say({ state: "idle" }); setTimeout(() => process.exit(0), 1500);`));
    const run = await made.supervise([`--terminal=${standIn}`, "--nudge="]);
    await run.said("agent started");
    writeFileSync(join(made.state, "stop-requested"), "");
    expect((await run.done).code).toBe(0);
    expect(existsSync(join(made.state, "stop-requested"))).toBe(false);
  });

  test("registers with the hub, and says goodbye", async () => {
    const calls: { method: string | undefined; body: string; token: string | undefined }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        calls.push({ method: request.method, body, token: request.headers.authorization });
        response.end("{}");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const made = supervisedScene();
    made.program("claude", agentScript(OBEDIENT));
    const run = await made.supervise([`--terminal=${standIn}`, "--nudge="], {
      COOP_MUX_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      COOP_MUX_AUTH_TOKEN: "hub-token-hub-token",
      ANTHROPIC_API_KEY: "k",
    });
    await run.said("registered with the hub");
    await until(async () => (await run.status()).phase === "running");
    run.child.kill("SIGTERM");
    expect((await run.done).code).toBe(0);
    expect(JSON.parse(calls[0]?.body ?? "")).toMatchObject({
      id: "pod-1",
      url: `http://127.0.0.1:${made.port}`,
      auth_token: made.token(),
    });
    expect(calls.at(-1)?.method).toBe("DELETE");
    expect(calls.every(({ token }) => token === "Bearer hub-token-hub-token")).toBe(true);
  });

  test("an agent that doesn't end is killed, and so is what it started", async () => {
    const made = supervisedScene();
    made.program(
      "claude",
      agentScript(`process.on("SIGTERM", () => note({ got: "SIGTERM" })); process.on("SIGHUP", () => {});
require("node:child_process").spawn("sh", ["-c", "trap '' TERM HUP; sleep 600 & wait"], { detached: true, stdio: "ignore" });
say({ state: "idle" }); setInterval(() => {}, 1000);`),
    );
    const run = await made.supervise([`--terminal=${standIn}`, "--nudge=", "--grace=2s"]);
    await until(async () => (await run.status().catch(() => undefined))?.agent_state === "idle");
    const { marker } = JSON.parse(readFileSync(join(made.state, "supervisor.json"), "utf8"));
    run.child.kill("SIGTERM");
    expect((await run.done).code).toBe(137);
    expect(made.hostSaw()).toContainEqual({ got: "SIGTERM" });
    expect(processesWithEnv("COXSWAIN_SUPERVISOR", marker)).toEqual([]);
  });
});

describe("misuse", () => {
  test.each([
    [["agent", "start"], {}, /say --k8s, --local or --docker/],
    [["agent", "start"], { BOAT_ROLE: "crew" }, /BOAT_ROLE is set.*--k8s/],
    [["agent", "start", "--k8s", "--local"], {}, /choose one/],
    [["agent", "start", "--docker"], {}, /--image/],
    [["agent", "start", "--local", "--workspace=/no/such/folder"], {}, /\/no\/such\/folder/],
    [["agent", "start", "--k8s", "--coop-port=many"], {}, /not a port/],
  ])("%j %j", async (args, env, message) => {
    const { code, stderr } = await scene().cox(args, { env });
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test("an agent that isn't installed is said at once", async () => {
    const made = supervisedScene();
    const { code, stderr } = await (await made.supervise(["--command=no-such-agent"])).done;
    expect(code).toBe(127);
    expect(stderr).toContain("no-such-agent: not found on PATH");
  });

  test("a second supervisor on the same state is refused", async () => {
    const made = supervisedScene();
    made.program("claude", agentScript(OBEDIENT));
    const first = await made.supervise([`--terminal=${standIn}`, "--nudge="]);
    await first.said("agent started");
    const { code, stderr } = await (await made.supervise([`--terminal=${standIn}`])).done;
    expect(code).toBe(1);
    expect(stderr).toMatch(/is at work there; stop it first/);
  });
});
