import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { startSupervisor } from "../../../core/launch/detach.ts";
import type { Context } from "../../../lib/command/command.ts";
import { packageRoot } from "../../../lib/files/package-root.ts";
import { prependPath } from "../../../lib/process/path/environment.ts";
import { shellWords } from "../../../lib/text/shell-words.ts";
import { attachTo } from "./attach-to.ts";
import { freePort } from "./free-port.ts";
import { type LocalPlace, localPlace } from "./local-place.ts";
import type { StartValues } from "./options.ts";
import { flagsOf, settingsOf, superviseHere } from "./start.ts";
import { waitReady } from "./wait-ready.ts";

/** The same as in a pod, on a folder of the person's. The supervisor is a process of its own and outlives this command. */
export async function startLocally(values: StartValues, context: Context): Promise<number> {
  const place = localPlace(values.workspace, context);
  const ports = {
    "coop-port": await portOf(values, "coop-port"),
    "coop-health-port": await portOf(values, "coop-health-port"),
  };
  const status = values["status-port"] ?? String(await freePort());
  const wanted = { ...values, ...ports, "status-port": status, workspace: place.workspace };
  const env = environmentIn(place, context.env);
  const settings = settingsOf(flagsOf(wanted), env, place);
  if (values.foreground) return superviseHere(settings, { ...context, env });

  mkdirSync(place.state, { recursive: true, mode: 0o700 });
  const log = join(place.state, "supervisor.log");
  const fd = openSync(log, "a", 0o600);
  const child = startSupervisor(argumentsOf(wanted), { env, cwd: place.workspace, log: fd });
  closeSync(fd);
  const url = `http://127.0.0.1:${settings.port}`;
  if (!(await waitReady(url, child.gone, context.clock))) throw neverReady(log);
  child.letGo();
  return attachTo(
    {
      url,
      tokenFile: join(place.state, "terminal-token"),
      status,
      log,
      stop: `cox agent stop --workspace ${shellWords([place.workspace])}`,
      values,
    },
    context,
  );
}

async function portOf(values: StartValues, name: "coop-port" | "coop-health-port"): Promise<string> {
  return values[name] ?? String(await freePort());
}

/** What a pod would be told. The agent's hooks call `cox`; a hub of this account takes the token that it left here. */
function environmentIn(place: LocalPlace, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const hubToken = join(place.coxHome, "hub-token");
  const isOurs = env.COOP_MUX_URL && !env.COOP_MUX_AUTH_TOKEN && existsSync(hubToken);
  return {
    ...env,
    PATH: prependPath(env.PATH, join(packageRoot(), "bin")),
    POD_IP: "127.0.0.1",
    HOSTNAME: basename(place.state),
    ...(isOurs ? { COOP_MUX_AUTH_TOKEN: readFileSync(hubToken, "utf8").trim() } : {}),
  };
}

/** What was given, with the ports that were chosen; none of the switches. */
function argumentsOf(values: StartValues): string[] {
  const given = Object.entries(values).flatMap(([name, value]) =>
    typeof value === "string" ? [`--${name}=${value}`] : [],
  );
  return ["agent", "start", "--local", "--foreground", ...given];
}

function neverReady(log: string): AppError {
  const lines = readFileSync(log, "utf8").trim().split("\n");
  const last = lines.at(-1) ?? "";
  return new AppError(
    "agent.failed",
    `start agent: the supervisor ended: ${last === "" ? "it said nothing" : last}; see ${log}`,
  );
}
