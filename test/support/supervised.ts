import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { StatusView } from "../../src/terminal/supervisor/status/status.ts";
import { type Finished, finished, root, Scene, scene, until } from "./cox.ts";

export interface LogLine {
  level: string;
  message: string;
  [field: string]: unknown;
}

/** A pod's folders in a temporary place, and supervisors in it. */
export class SupervisedScene {
  readonly scene: Scene;
  readonly home: string;
  readonly workspace: string;
  readonly state: string;
  readonly hostLog: string;
  port = 0;
  healthPort = 0;
  statusPort = 0;

  constructor(made: Scene) {
    this.scene = made;
    this.home = join(made.folder, "agent-home");
    this.workspace = join(made.folder, "agent-workspace");
    this.state = join(this.workspace, ".state");
    this.hostLog = join(made.folder, "host.jsonl");
    for (const folder of [this.home, this.workspace, join(made.folder, "bin")]) mkdirSync(folder);
  }

  /** A program on the agent's PATH. */
  program(name: string, text: string): string {
    const file = join(this.scene.folder, "bin", name);
    writeFileSync(file, text);
    chmodSync(file, 0o755);
    return file;
  }

  get env(): NodeJS.ProcessEnv {
    const { folder } = this.scene;
    return {
      PATH: `${join(folder, "bin")}:${join(root, "bin")}:${process.env.PATH}`,
      HOME: this.home,
      LANG: "C.UTF-8",
      HOSTNAME: "pod-1",
      POD_IP: "127.0.0.1",
      BOAT_PLATFORM_VERSION_FILE: join(folder, "none"),
      BOAT_CREDENTIALS_FILE: join(folder, "none"),
      BOAT_HOOKS_DIR: join(folder, "none"),
      FAKE_HOST_LOG: this.hostLog,
    };
  }

  async supervise(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Supervised> {
    [this.port, this.healthPort, this.statusPort] = await freePorts();
    const child = this.scene.start(
      [
        ...["agent", "start", "--k8s", `--workspace=${this.workspace}`],
        ...[`--coop-port=${this.port}`, `--coop-health-port=${this.healthPort}`, `--status-port=${this.statusPort}`],
        ...args,
      ],
      { env: { ...this.env, ...env } },
    );
    return new Supervised(child, this);
  }

  /** What the stand-in for a terminal host saw. */
  hostSaw(): { start?: string[]; call?: string; allowed?: boolean; mux?: string }[] {
    if (!existsSync(this.hostLog)) return [];
    return readFileSync(this.hostLog, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  token = (): string => readFileSync(join(this.state, "terminal-token"), "utf8").trim();
}

export class Supervised {
  readonly child: ChildProcess;
  readonly done: Promise<Finished>;
  readonly #scene: SupervisedScene;
  #text = "";

  constructor(child: ChildProcess, made: SupervisedScene) {
    this.child = child;
    this.#scene = made;
    child.stderr?.on("data", (chunk) => {
      this.#text += String(chunk);
    });
    this.done = finished(child);
    onTestFinished(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      const again = setInterval(() => child.kill("SIGTERM"), 500); // the second one ends the agent at once
      await this.done;
      clearInterval(again);
    });
  }

  /** As by the kernel. What it started lives on, and holds its output open. */
  async killed(): Promise<void> {
    const exit = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exit;
  }

  lines(): LogLine[] {
    return this.#text.split("\n").flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return []; // what the agent or its host said
      }
    });
  }

  text = (): string => this.#text;

  /** Resolves with the first line that was logged with this message. */
  said(message: string | RegExp): Promise<LogLine> {
    return until(() => {
      if (this.child.exitCode !== null && this.lines().every((line) => !matches(line, message))) {
        throw new Error(`the supervisor ended with ${this.child.exitCode}, before ${message}:\n${this.#text}`);
      }
      return this.lines().find((line) => matches(line, message));
    });
  }

  async status(): Promise<StatusView> {
    const answer = await fetch(`http://127.0.0.1:${this.#scene.statusPort}/api/v1/supervisor`);
    return (await answer.json()) as StatusView;
  }
}

const matches = (line: LogLine, message: string | RegExp): boolean =>
  typeof message === "string" ? line.message === message : message.test(line.message);

export const supervisedScene = (): SupervisedScene => new SupervisedScene(scene());

export const standIn = `${process.execPath} ${join(root, "test/fakes/terminal-host.mjs")}`;

/** An agent for the stand-in: a script, with `say({state, screen})` and `heard(message => …)`. */
export const agentScript = (body: string): string => `#!${process.execPath}
const say = (line) => process.stdout.write(JSON.stringify(line) + "\\n");
const note = (entry) => require("node:fs").appendFileSync(process.env.FAKE_HOST_LOG, JSON.stringify(entry) + "\\n");
let rest = "";
const heard = (call) => process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const line of lines) call(JSON.parse(line));
});
${body}
`;

async function freePorts(): Promise<[number, number, number]> {
  const servers = await Promise.all(
    [1, 2, 3].map(
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer();
          server.listen(0, "127.0.0.1", () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  const [a = 0, b = 0, c = 0] = ports;
  return [a, b, c];
}
