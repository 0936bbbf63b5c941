import type { ChildProcess } from "node:child_process";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type HttpClient, httpClient } from "../../src/lib/client/http.ts";
import { Scene, until } from "../support/cox.ts";
import { endRuns } from "../support/end-runs.ts";

/** `cox serve` with a home of its own, in a git repository of its own. */
export interface TestServer {
  url: string;
  scene: Scene;
  api: HttpClient;
  /** An address that logs in, once. */
  link(): Promise<string>;
  /** Starts the demo agent; `prompt` is its script. */
  run(prompt: string, wishes?: RunWishes): Promise<string>;
  stop(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
  /** Everything it has printed, on either stream. */
  said(): string;
  /** So that nobody waits for an answer in the next test. */
  endRuns(): Promise<void>;
  close(): Promise<void>;
}

export interface RunWishes {
  title?: string;
  project?: string;
  permissions?: "ask" | "allow" | "deny";
  mode?: "batch" | "interactive";
  review?: boolean;
  agent?: string;
}

export interface ServerWishes {
  args?: readonly string[];
  /** Over the scene's own: what it has beside a home. */
  env?: NodeJS.ProcessEnv;
}

export async function startServer({ args = [], env = {} }: ServerWishes = {}): Promise<TestServer> {
  const scene = new Scene();
  Object.assign(scene.env, env);
  makeRepository(scene.workspace);
  let child = await serve(scene, "0", args);
  const { url } = child;
  const token = readFileSync(join(scene.home, "server-token"), "utf8").trim();
  const api = httpClient({ url, token });
  return {
    url,
    scene,
    api,
    async link() {
      const { stdout } = await scene.cox(["serve", "open", "--no-open"]);
      return addressIn(stdout) ?? "";
    },
    async run(prompt, wishes = {}) {
      const body = {
        prompt: [{ type: "text" as const, text: prompt }],
        agent: "demo",
        workspace: scene.workspace,
        ...wishes,
      };
      return (await api.call("POST /runs", { body })).run_id;
    },
    stop: () => end(child.process),
    async start() {
      child = await serve(scene, new URL(url).port, args);
    },
    said: () => child.said(),
    endRuns: () => endRuns(scene.home),
    async close() {
      await end(child.process);
      await scene.close();
    },
  };
}

interface Served {
  process: ChildProcess;
  url: string;
  said(): string;
}

async function serve(scene: Scene, port: string, args: readonly string[]): Promise<Served> {
  const process = scene.start(["serve", "--no-open", "--port", port, ...args]);
  let printed = "";
  process.stdout?.on("data", (chunk) => {
    printed += String(chunk);
  });
  process.stderr?.on("data", (chunk) => {
    printed += String(chunk);
  });
  const link = await until(() => {
    if (process.exitCode !== null) throw new Error(`cox serve ended: ${printed}`);
    return addressIn(printed);
  });
  return { process, url: new URL(link).origin, said: () => printed };
}

const addressIn = (text: string): string | undefined => /http:\/\/\S+#key=\S+/.exec(text)?.[0];

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.on("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

function makeRepository(folder: string): void {
  mkdirSync(join(folder, "src"), { recursive: true });
  writeFileSync(join(folder, "README.md"), "# Sample\n\nA small repository.\n");
  writeFileSync(join(folder, "src/greet.ts"), GREET);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], { cwd: folder });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "begin");
}

const GREET = `export function greet(name: string): string {
  return "Hello " + name;
}
`;
