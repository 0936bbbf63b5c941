import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { slug } from "../../../contract/ids.ts";
import { readConfig } from "../../../core/config/config-file.ts";
import { userArguments } from "../../../core/executors/container.ts";
import { ask, type Engine, findEngine, requireImage } from "../../../core/executors/engine.ts";
import { requireWorkspace } from "../../../core/runner/workspace/workspace.ts";
import { homePath } from "../../../core/store/home.ts";
import type { Context } from "../../../lib/command/command.ts";
import { attachTo } from "./attach-to.ts";
import { freePort } from "./free-port.ts";
import type { StartValues } from "./options.ts";
import { waitReady } from "./wait-ready.ts";

const WORKSPACE = "/home/agent/workspace";

/** The pod's image on this machine: the same supervisor, in a container that goes on without this command. */
export async function startInContainer(values: StartValues, context: Context): Promise<number> {
  const { image } = values;
  if (!image) throw new AppError("usage.invalid", "cox agent start --docker: which image? give --image IMAGE");
  const workspace = requireWorkspace(values.workspace ?? ".", context.cwd);
  const { container_engine: wanted } = await readConfig(homePath(context.env));
  const engine = await findEngine(wanted, context.env);
  await requireImage(engine, image, (text) => context.stderr.write(`cox: ${text}\n`));
  mkdirSync(join(workspace, ".state"), { recursive: true, mode: 0o700 });
  const ports = { terminal: await portOf(values["coop-port"]), status: await portOf(values["status-port"]) };
  const name = containerName(workspace);
  const args = containerArguments({ engine, image, workspace, name, ports, values, env: context.env });
  const started = await ask({ ...engine, env: { ...engine.env, ...passed(context.env) } }, args, 120_000);
  if (started.code !== 0) throw new AppError("agent.failed", `start container ${name}: ${started.stderr}`);
  const url = `http://127.0.0.1:${ports.terminal}`;
  const gone = watchContainer(engine, name, context);
  const ready = await waitReady(url, gone.signal, context.clock);
  gone.stop();
  if (!ready) throw await neverReady(engine, name);
  const log = `${engine.name} logs ${name}`;
  const tokenFile = join(workspace, ".state", "terminal-token");
  return attachTo(
    { url, tokenFile, status: String(ports.status), log, stop: `${engine.name} stop ${name}`, values },
    context,
  );
}

interface ContainerStart {
  engine: Pick<Engine, "name" | "rootless">;
  image: string;
  workspace: string;
  name: string;
  ports: { terminal: number; status: number };
  values: StartValues;
  env: NodeJS.ProcessEnv;
}

/** Values go by the engine's own environment: arguments are for everybody to read. */
export function containerArguments({ engine, image, workspace, name, ports, values, env }: ContainerStart): string[] {
  return [
    ...["run", "--detach", "--rm", "--name", name],
    ...userArguments(engine),
    ...["--security-opt", "label=disable"],
    ...["--publish", `127.0.0.1:${ports.terminal}:8080`, "--publish", `127.0.0.1:${ports.status}:9091`],
    ...["--mount", `type=bind,source=${workspace},target=${WORKSPACE}`],
    // The image's own home belongs to the image's own user.
    ...["--env", `HOME=${WORKSPACE}/.state/home`, "--env", "POD_IP=127.0.0.1", "--env", "BOAT_KEEP_BRANCH=1"],
    ...Object.keys(passed(env)).flatMap((key) => ["--env", key]),
    ...[image, "cox", "agent", "start", "--k8s"],
    ...FLAGS.flatMap((flag) => (values[flag] === undefined ? [] : [`--${flag}=${values[flag]}`])),
  ];
}

const FLAGS = ["command", "nudge", "max-restarts", "grace", "terminal"] as const;

/** What a pod would be given. */
function passed(env: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && PASSED.test(name) ? [[name, value]] : [],
  );
  return Object.fromEntries(entries);
}

const PASSED = /^(BOAT|BEADS|KD|COOP|GIT|GITLAB|GITHUB|ANTHROPIC|CLAUDE)_\w+$/;

const containerName = (workspace: string): string =>
  `cox-agent-${slug(basename(workspace)) || "folder"}-${createHash("sha256").update(workspace).digest("hex").slice(0, 8)}`;

const portOf = async (text: string | undefined): Promise<number> => (text === undefined ? freePort() : Number(text));

/** Aborts when the container is there no more. */
function watchContainer(engine: Engine, name: string, { clock }: Context): { signal: AbortSignal; stop(): void } {
  const gone = new AbortController();
  const stopped = new AbortController();
  const look = async () => {
    while (!stopped.signal.aborted) {
      const { code } = await ask(engine, ["container", "inspect", name]);
      if (code !== 0) return gone.abort();
      await clock.sleep(1000, stopped.signal);
    }
  };
  void look().catch(() => gone.abort());
  return { signal: gone.signal, stop: () => stopped.abort() };
}

async function neverReady(engine: Engine, name: string): Promise<AppError> {
  const { stderr } = await ask(engine, ["logs", "--tail", "1", name]);
  return new AppError("agent.failed", `start agent: container ${name} ended${stderr === "" ? "" : `: ${stderr}`}`);
}
