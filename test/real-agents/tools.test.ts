import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { RecordedEvent } from "../../src/contract/events.ts";
import { finished, root } from "../support/cox.ts";
import { claude } from "./agents/claude.ts";
import { claudeAcp } from "./agents/claude-acp.ts";
import { codex } from "./agents/codex.ts";
import { gemini } from "./agents/gemini.ts";
import { opencode } from "./agents/opencode.ts";
import { startModelServer } from "./model-server.ts";
import type { RealAgent } from "./real-agent.ts";
import { Stage } from "./stage.ts";

/** The real programs call the run's own tools on a scripted model; a person answers from another terminal. */
interface Case {
  agent: RealAgent;
  tool: (name: string) => string;
  leave: number;
  asks: boolean;
  /** Whether a program carries them; else they come over its stdin and stdout, or over HTTP. */
  program: boolean;
}
const agents: Case[] = [
  // Only for the child is leave needed, where the agent says which tool it asks for, or doesn't ask for those that only talk.
  { agent: claude, tool: (name) => `mcp__coxswain__${name}`, leave: 1, asks: true, program: false },
  { agent: codex, tool: (name) => `mcp__coxswain::${name}`, leave: 1, asks: true, program: false },
  // It hands the headers of an HTTP server to Claude Code as arguments.
  { agent: claudeAcp, tool: (name) => `mcp__coxswain__${name}`, leave: 1, asks: true, program: true },
  { agent: opencode, tool: (name) => `coxswain_${name}`, leave: 0, asks: true, program: false },
  // Over ACP it hides every tool that is called ask_user, because it has one of its own, and names none in its requests.
  { agent: gemini, tool: (name) => `mcp_coxswain_${name}`, leave: 2, asks: false, program: false },
];

const servers = new Map<RealAgent, Awaited<ReturnType<typeof startModelServer>>>();
beforeAll(async () => {
  for (const { agent } of agents) servers.set(agent, await startModelServer(agent.api));
});
afterAll(() => {
  for (const server of servers.values()) server.stop();
});

class Terminal {
  readonly #stage: Stage;

  constructor(agent: RealAgent) {
    const stage = new Stage(agent.name, onTestFinished);
    Object.assign(stage.env, agent.env);
    agent.prepare?.(stage);
    this.#stage = stage;
    mkdirSync(join(stage.coxHome, "profiles"), { recursive: true });
    const profile = {
      agent: agent.name,
      model: agent.models[0],
      base_url: `${servers.get(agent)?.url}${agent.path ?? ""}`,
      token: "good-key",
    };
    writeFileSync(join(stage.coxHome, "profiles/fake.yaml"), JSON.stringify(profile), { mode: 0o600 });
  }

  start(...args: string[]): ChildProcess {
    const env = { ...this.#stage.env, COX_HOME: this.#stage.coxHome };
    return spawn(process.execPath, [join(root, "bin/cox"), ...args], { cwd: this.#stage.workspace, env });
  }

  /** What the command printed. */
  async cox(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await finished(this.start(...args));
    if (code !== 0) throw new Error(`cox ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  async events(runId: string): Promise<RecordedEvent[]> {
    const lines = (await this.cox("logs", "--json", runId)).split("\n");
    return lines.flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  }

  /** Says yes to everything, and blue, until the run is over; returns the command lines that were seen meanwhile. */
  async answerUntilEnded(runId: string): Promise<ReadonlySet<string>> {
    const commands = new Set<string>();
    const ended = this.cox("wait", runId).then(() => true);
    while (!(await Promise.race([ended, pause(100)]))) {
      for (const command of commandsOf(runId)) commands.add(command);
      const lines = (await this.cox("inbox", "--json")).split("\n").filter((line) => line !== "");
      for (const line of lines) {
        const { request, type }: { request: string; type: string } = JSON.parse(line);
        await this.cox("answer", request, type === "question_request" ? "blue" : "allow");
      }
    }
    return commands;
  }

  /** The files that hold a token of HTTP, though it was good for this run alone. */
  filesWithToken(): string[] {
    const folders = [this.#stage.home, this.#stage.coxHome, this.#stage.workspace];
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    );
    return files.filter((file) => /Bearer [\w-]{43}/.test(readFileSync(file, "latin1")));
  }
}

const pause = (ms: number) => new Promise<false>((resolve) => setTimeout(() => resolve(false), ms));

/** What the processes of a run are called with, for everybody on the machine to see. */
function commandsOf(runId: string): string[] {
  const read = (pid: string, name: string) => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, "latin1");
    } catch {
      return ""; // gone meanwhile
    }
  };
  const isOfRun = (pid: string) => read(pid, "environ").split("\0").includes(`COX_RUN_ID=${runId}`);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isOfRun(name))
    .map((pid) => read(pid, "cmdline").replaceAll("\0", " "));
}

describe.each(agents)("$agent.name with the run's own tools", ({ agent, tool, leave, asks, program }) => {
  test("posts, asks, and starts a child once it is allowed to", async () => {
    const terminal = new Terminal(agent);
    const post = `${tool("bus_post")} ${JSON.stringify({ body: "hello from the agent", type: "PROGRESS" })}`;
    const ask = `${tool("ask_user")} ${JSON.stringify({ question: "Which colour?", choices: ["red", "blue"] })}`;
    const spawn = `${tool("spawn_run")} ${JSON.stringify({ prompt: "@say hello from below", agent: "demo" })}`;
    const calls = `@call ${[post, ...(asks ? [ask] : []), spawn].join(" && ")}`;
    const started = await terminal.cox("run", "-d", "--json", "--profile", "fake", "--task", "fix", "--", calls);
    const { run_id: runId }: { run_id: string } = JSON.parse(started);
    const commands = [...(await terminal.answerUntilEnded(runId))];
    expect(commands.some((command) => command.includes(" mcp --socket "))).toBe(program);
    expect(commands.filter((command) => command.includes("Bearer"))).toEqual([]);
    expect(terminal.filesWithToken()).toEqual([]);
    const events = await terminal.events(runId);
    const results = events.flatMap((event) =>
      event.type === "tool_update" && typeof event.result === "string" ? [event.result] : [],
    );
    if (asks) expect(results.find((text) => text.includes("answered"))).toContain("blue");
    const allowed = events.filter((event) => event.type === "request_resolved" && event.outcome === "allowed");
    expect(allowed.filter((event) => "by" in event && event.by === "person")).toHaveLength(leave);
    expect(await terminal.cox("bus", "read", "--task", "fix")).toContain("hello from the agent");
    const child = /└─ (\S+)/.exec(await terminal.cox("tree"))?.[1] ?? "";
    await terminal.cox("wait", child);
    expect(await terminal.cox("output", child)).toBe("hello from below\n");
  });
});
