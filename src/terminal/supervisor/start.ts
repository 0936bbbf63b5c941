import { mkdirSync, statSync } from "node:fs";
import type { Clock } from "../../lib/base/clock.ts";
import type { Log } from "../../lib/base/log.ts";
import { diskError } from "../../lib/files/disk-error.ts";
import { claimState } from "./claim.ts";
import { type CredentialMode, provision } from "./credentials/cascade.ts";
import { renew } from "./credentials/oauth.ts";
import { keepFresh } from "./credentials/refresh.ts";
import { deregister, registrationFor, stayRegistered } from "./host/hub.ts";
import { terminalToken } from "./host/terminal-token.ts";
import { currentMountPoints } from "./mountinfo.ts";
import { placesOf } from "./places.ts";
import type { Settings } from "./settings.ts";
import { claudeSettings } from "./setup/claude-settings.ts";
import { daemonConfig } from "./setup/daemon-config.ts";
import { command, stateHome, toolPath } from "./setup/environment.ts";
import { gitConfig } from "./setup/git-config.ts";
import { gitCredentials } from "./setup/git-credentials.ts";
import { hooks } from "./setup/hooks-step.ts";
import { instructions } from "./setup/instructions.ts";
import { onboarding } from "./setup/onboarding.ts";
import { platformVersion } from "./setup/platform-version.ts";
import { stateFolder } from "./setup/state-folder.ts";
import { workspace } from "./setup/workspace.ts";
import { listenForSignals } from "./status/signals.ts";
import { Status } from "./status/status.ts";
import { openStatusPage } from "./status/status-api.ts";
import { StopRequest } from "./status/stop-request.ts";
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
  command,
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
  makeFolders(settings);
  const signals = listenForSignals(source);
  const claim = await claimState(settings.state, log);
  const { role, agent, project, maxRestarts, hub, pace } = settings;
  const status = new Status({ role, agent, project, maxRestarts, hasHub: hub !== undefined }, () => clock.now());
  const token = terminalToken(settings.state, given.COOP_AUTH_TOKEN);
  const stopRequest = new StopRequest(settings, log);
  const ended = new AbortController();
  const beside: Promise<void>[] = [];
  const requestStop = () => stopRequest.make();
  const page = await openStatusPage({ status, settings, token, requestStop }, settings.statusPort, log);
  try {
    const places = placesOf(settings, given.CLAUDE_CONFIG_DIR, currentMountPoints());
    const setMode = (mode: CredentialMode) => {
      status.credentialMode = mode;
    };
    const steps = preparation(credentialsStep(clock, log, signals.stop, setMode));
    const { env, reports } = await runSteps(steps, { settings, places, env: given }, log);
    status.steps = reports;

    if (status.credentialMode !== "APIKey") {
      const renewLogin = (refreshToken: string, signal: AbortSignal) => renew(settings.oauthUrl, refreshToken, signal);
      const onAttempt = (failures: number) => status.refreshed(failures);
      beside.push(
        keepFresh({ file: places.credentials, clock, log, renew: renewLogin, onAttempt, pace }, ended.signal),
      );
    }
    if (hub !== undefined) {
      const onBeat = (ok: boolean) => status.beat(ok);
      const registration = () => registrationFor(settings, token, status);
      beside.push(stayRegistered({ hub, clock, log, registration, onBeat }, ended.signal));
    }
    return await supervise({
      settings,
      places,
      env,
      token,
      marker: claim.marker,
      signals,
      status,
      clock,
      log,
      random: Math.random,
      stopRequest,
      loginVersion: () => String(statSync(places.credentials, { throwIfNoEntry: false })?.mtimeMs),
    });
  } finally {
    ended.abort();
    await Promise.all(beside);
    if (hub !== undefined) await deregister(hub, settings.hostname, log, pace.goodbyeMs);
    await page?.close();
    claim.release();
    signals.off();
  }
}

function makeFolders({ workspace, home, state }: Settings): void {
  for (const folder of [workspace, home, state]) {
    try {
      mkdirSync(folder, { recursive: true, mode: folder === state ? 0o700 : 0o755 });
    } catch (error) {
      throw diskError("prepare the agent's place", folder, error);
    }
  }
}

const credentialsStep = (
  clock: Clock,
  log: Log,
  signal: AbortSignal,
  onMode: (mode: CredentialMode) => void,
): Step => ({
  name: "credentials",
  async run({ settings, places, env }) {
    const { mode, passedOver } = await provision({ settings, places, env, clock, log, signal });
    onMode(mode);
    return { note: [mode, ...passedOver].join("; ") };
  },
});
