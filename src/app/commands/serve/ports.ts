import { startDetached } from "../../../core/launch/detach.ts";
import type { Home } from "../../../core/store/home.ts";
import type { ServerPorts } from "../../../faces/server/ports.ts";
import type { Log } from "../../../lib/base/log.ts";
import type { Context } from "../../../lib/command/command.ts";
import type { HubCore } from "../../../terminal/hub/core.ts";
import { agentTrials } from "../../server/agent-trials.ts";
import { clusterFor } from "../../server/cluster.ts";
import { notifySettings } from "../../server/notify-settings.ts";
import { terminalsOf } from "../../server/terminals.ts";

/** What the server may not do by itself: starting hosts, trying agents, and knowing how people are told. */
export async function portsOf(home: Home, log: Log, hub: HubCore | undefined, context: Context): Promise<ServerPorts> {
  const { env, clock } = context;
  return {
    home,
    clock,
    log,
    env,
    start: (request) => startDetached(request, env),
    cluster: await clusterFor(env, clock),
    terminals: terminalsOf(hub),
    agentTrials: agentTrials(home.root, env),
    notifySettings: notifySettings(home.root, env, clock),
  };
}
