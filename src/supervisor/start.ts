import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createFileExclusive } from "../base/atomic-file.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { messageOf } from "../contract/errors.ts";
import { type Listening, listen } from "../http/listen.ts";
import { newToken } from "../http/token.ts";
import { findExecutable } from "../process/executable.ts";
import { claimState } from "./claim.ts";
import { type CredentialMode, provision } from "./credentials/cascade.ts";
import { readText } from "./credentials/file.ts";
import { renew } from "./credentials/oauth.ts";
import { keepFresh } from "./credentials/refresh.ts";
import { Daemon } from "./daemon.ts";
import { deregister, registrationFor, stayRegistered } from "./hub.ts";
import { currentMountPoints } from "./mountinfo.ts";
import { placesOf } from "./places.ts";
import type { Settings } from "./settings.ts";
import { claudeSettings } from "./setup/claude-settings.ts";
import { daemonConfig } from "./setup/daemon-config.ts";
import { stateHome, toolPath } from "./setup/environment.ts";
import { gitConfig } from "./setup/git-config.ts";
import { gitCredentials } from "./setup/git-credentials.ts";
import { hooks } from "./setup/hooks-step.ts";
import { instructions } from "./setup/instructions.ts";
import { onboarding } from "./setup/onboarding.ts";
import { platformVersion } from "./setup/platform-version.ts";
import { stateFolder } from "./setup/state-folder.ts";
import { workspace } from "./setup/workspace.ts";
import { listenForSignals } from "./signals.ts";
import { Status } from "./status.ts";
import { statusApi } from "./status-api.ts";
import { type Environment, runSteps, type Step } from "./step.ts";
import { supervise } from "./supervise.ts";

export interface StartOptions {
  env: Environment;
  clock: Clock;
  log: Log;
  signals: NodeJS.EventEmitter;
}

/** Everything that is prepared, in order. */
const preparation = (credentials: Step): readonly Step[] => [
  platformVersion,
  gitConfig,
  gitCredentials,
  workspace,
  daemonConfig,
  stateFolder,
  credentials,
  stateHome,
  toolPath,
  claudeSettings,
  hooks,
  instructions,
  onboarding,
];

/** Prepares the place, then keeps the agent running in it. Returns the exit code. */
export async function start(
  settings: Settings,
  { env: given, clock, log, signals: source }: StartOptions,
): Promise<number> {
  for (const folder of [settings.workspace, settings.home]) mkdirSync(folder, { recursive: true });
  mkdirSync(settings.state, { recursive: true, mode: 0o700 });
  const signals = listenForSignals(source);
  const claim = await claimState(settings.state, log);
  const { role, agent, project, maxRestarts, hub } = settings;
  const status = new Status({ role, agent, project, maxRestarts, hasHub: hub !== undefined }, () => clock.now());
  const token = given.COOP_AUTH_TOKEN || tokenIn(settings.state);
  const stopFile = join(settings.state, "stop-requested");
  rmSync(stopFile, { force: true });
  const ended = new AbortController();
  const beside: Promise<void>[] = [];
  let page: Listening | undefined;
  try {
    page = await openPage(settings, status, token, log);
    const places = placesOf(settings, given.CLAUDE_CONFIG_DIR, currentMountPoints());
    const setMode = (mode: CredentialMode) => {
      status.credentialMode = mode;
    };
    const steps = preparation(credentialsStep(clock, log, setMode));
    const { env, reports } = await runSteps(steps, { settings, places, env: given }, log);
    status.steps = reports;
    findExecutable(settings.command[0], { path: env.PATH, cwd: settings.workspace }); // said now, not after ten restarts

    if (status.credentialMode !== "APIKey") {
      const renewLogin = (refreshToken: string, signal: AbortSignal) => renew(settings.oauthUrl, refreshToken, signal);
      const onAttempt = (failures: number) => status.refreshed(failures);
      beside.push(keepFresh({ file: places.credentials, clock, log, renew: renewLogin, onAttempt }, ended.signal));
    }
    if (hub !== undefined) {
      const onBeat = (ok: boolean) => status.beat(ok);
      const registration = () => registrationFor(settings, token, status);
      beside.push(stayRegistered({ hub, clock, log, registration, onBeat }, ended.signal));
    }
    const daemon = settings.daemon === undefined ? undefined : new Daemon(settings.daemon);
    const stopRequested = () => isStopRequested(stopFile, daemon, settings.beadId, log);
    return await supervise({
      settings,
      env,
      token,
      marker: claim.marker,
      signals,
      status,
      exit: {
        stopRequested,
        loginVersion: () => String(statSync(places.credentials, { throwIfNoEntry: false })?.mtimeMs),
      },
      clock,
      log,
      places,
      random: Math.random,
      async isDone() {
        if (!status.stopRequested && !(await stopRequested())) return false;
        log.info("asked to stay down");
        rmSync(stopFile, { force: true });
        if (daemon && settings.beadId) {
          await daemon
            .close(settings.beadId)
            .catch((error: unknown) => log.warn("daemon", { error: messageOf(error) }));
        }
        return true;
      },
    });
  } finally {
    ended.abort();
    await Promise.all(beside);
    if (hub !== undefined) await deregister(hub, settings.hostname, log);
    await page?.close();
    claim.release();
    signals.off();
  }
}

const credentialsStep = (clock: Clock, log: Log, onMode: (mode: CredentialMode) => void): Step => ({
  name: "credentials",
  async run({ settings, places, env }) {
    const { mode, passedOver } = await provision({ settings, places, env, clock, log });
    onMode(mode);
    return { note: [mode, ...passedOver].join("; ") };
  },
});

/** Kept, so that a hub or a person that knows it can still use it after a restart. */
function tokenIn(state: string): string {
  const file = join(state, "terminal-token");
  createFileExclusive(file, `${newToken()}\n`);
  return (readText(file) ?? "").trim();
}

/** A page that can't be opened is no reason not to work. */
async function openPage(settings: Settings, status: Status, token: string, log: Log): Promise<Listening | undefined> {
  let port = settings.statusPort;
  const requestStop = () => {
    status.stopRequested = true;
  };
  const app = statusApi({ status, settings, token, port: () => port, requestStop });
  try {
    const page = await listen(app, { host: settings.reachable ? "0.0.0.0" : "127.0.0.1", port });
    port = page.port;
    log.info("status page", { url: page.url });
    return page;
  } catch (error) {
    log.warn("no status page", { error: messageOf(error) });
    return undefined;
  }
}

/** By a file, or by the daemon. A daemon that doesn't answer asks for nothing. */
async function isStopRequested(
  file: string,
  daemon: Daemon | undefined,
  bead: string | undefined,
  log: Log,
): Promise<boolean> {
  if (readText(file) !== undefined) return true;
  if (daemon === undefined || bead === undefined) return false;
  try {
    return await daemon.stopRequested(bead);
  } catch (error) {
    log.warn("could not ask the daemon whether to stop", { error: messageOf(error) });
    return false;
  }
}
