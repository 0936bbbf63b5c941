import { startDetached } from "../../../core/launch/detach.ts";
import type { Home } from "../../../core/store/home.ts";
import type { World } from "../../../faces/server/world.ts";
import type { Log } from "../../../lib/base/log.ts";
import type { Context } from "../../../lib/command/command.ts";
import type { HubCore } from "../../../terminal/hub/core.ts";
import { clusterFor } from "../../server/cluster.ts";
import { telling } from "../../server/telling.ts";
import { terminalsOf } from "../../server/terminals.ts";
import { trying } from "../../server/trying.ts";

/** What the server may not do by itself: starting hosts, trying agents, and knowing how people are told. */
export async function worldOf(home: Home, log: Log, hub: HubCore | undefined, context: Context): Promise<World> {
  const { env, clock } = context;
  return {
    home,
    clock,
    log,
    env,
    start: (request) => startDetached(request, env),
    cluster: await clusterFor(env, clock),
    terminals: terminalsOf(hub),
    trying: trying(home.root, env),
    telling: telling(home.root, env, clock),
  };
}
