import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import {
  type AvailableCommandsUpdate,
  type ClientContext,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type McpServer,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { afterAll } from "vitest";

/** The demo agent in a process of its own, and a client of the protocol's library in front of it. For tests. */
export interface TestClient {
  agent: ClientContext;
  child: ChildProcess;
  exited: Promise<{ code: number | null; signal: string | null }>;
  stderr(): string;
  /** Everything on the agent's stdout, as it came. */
  stdout(): string;
  /** Opens a session in a directory; the returned object gathers what the agent says in it. */
  newSession(cwd: string, mcpServers?: McpServer[]): Promise<TestSession>;
  attach(sessionId: string): TestSession;
}

export interface Answers {
  permission?: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse> | RequestPermissionResponse;
  question?: (request: CreateElicitationRequest) => Promise<CreateElicitationResponse> | CreateElicitationResponse;
}

const main = join(import.meta.dirname, "main.ts");

export function startDemo(answers: Answers = {}, env: Record<string, string> = {}): TestClient {
  const child = spawn(process.execPath, ["--import", "tsx", main], {
    env: { ...process.env, DEMO_SPEED: "0", DEMO_HOME: newDirectory(), ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const exited = once(child, "exit").then(([code, signal]) => ({ code, signal }));
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString("latin1");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.on("error", () => {}); // a crash in mid-turn is part of the tests
  const sessions = new Map<string, TestSession>();
  const { agent } = client({ name: "test" })
    .onRequest("session/request_permission", ({ params }) => answers.permission?.(params) ?? choose("allow-once"))
    .onRequest("elicitation/create", ({ params }) => answers.question?.(params) ?? { action: "decline" })
    .onNotification("session/update", ({ params }) => attach(params.sessionId).receive(params.update))
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));

  const attach = (sessionId: string): TestSession => {
    const session = sessions.get(sessionId) ?? new TestSession(agent, sessionId);
    sessions.set(sessionId, session);
    return session;
  };
  return {
    agent,
    child,
    exited,
    stderr: () => stderr,
    stdout: () => stdout,
    attach,
    async newSession(cwd, mcpServers = []) {
      const { sessionId } = await agent.request("session/new", { cwd, mcpServers });
      return attach(sessionId);
    },
  };
}

export function initialize(agent: ClientContext, elicitation = true) {
  return agent.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: elicitation ? { elicitation: { form: {} } } : {},
  });
}

export class TestSession {
  readonly id: string;
  readonly updates: SessionUpdate[] = [];
  readonly commands: AvailableCommandsUpdate[] = [];
  readonly #agent: ClientContext;
  #waiting: { text: string; resolve: () => void } | undefined;

  constructor(agent: ClientContext, id: string) {
    this.#agent = agent;
    this.id = id;
  }

  /** Resolves with the answer; `updates` then holds what was said in this turn. */
  async prompt(text: string, ...more: ContentBlock[]): Promise<PromptResponse & { usage?: unknown }> {
    this.updates.length = 0;
    try {
      const prompt: ContentBlock[] = [{ type: "text", text }, ...more];
      return await this.#agent.request("session/prompt", { sessionId: this.id, prompt });
    } finally {
      await delivered();
    }
  }

  /** What the agent says in answer to a script. */
  async say(script: string): Promise<string> {
    await this.prompt(script);
    return this.text();
  }

  cancel(): Promise<void> {
    return this.#agent.notify("session/cancel", { sessionId: this.id });
  }

  receive(update: SessionUpdate): void {
    // These come some time after a session is opened: apart, they are in no test's way.
    if (update.sessionUpdate === "available_commands_update") this.commands.push(update);
    else this.updates.push(update);
    if (this.#waiting && this.text().includes(this.#waiting.text)) this.#waiting.resolve();
  }

  /** Resolves once the agent has said this. */
  heard(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { text, resolve };
      if (this.text().includes(text)) resolve();
    });
  }

  text(): string {
    return this.updates.map((update) => textOf(update, "agent_message_chunk")).join("");
  }

  of<T extends SessionUpdate["sessionUpdate"]>(type: T): Extract<SessionUpdate, { sessionUpdate: T }>[] {
    return this.updates.filter(
      (update): update is Extract<SessionUpdate, { sessionUpdate: T }> => update.sessionUpdate === type,
    );
  }
}

/** The library may hand over an answer before the notifications that came before it; after this they are there. */
export const delivered = (): Promise<void> => setImmediate();

/** How long a poll waits for what will come. */
export const soon = { timeout: 10_000 };

export const choose = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: "selected", optionId } });

/** Gone after the tests of the file that made it. */
export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "cox-demo-"));
  directories.push(directory);
  return directory;
}

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

function textOf(update: SessionUpdate, type: "agent_message_chunk"): string {
  return update.sessionUpdate === type && update.content.type === "text" ? update.content.text : "";
}

/** A zombie has ended, even when its new parent doesn't look. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
