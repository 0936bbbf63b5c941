import type { Log } from "../../../base/log.ts";
import type { HubCore } from "../../../hub/core.ts";
import type { World } from "../../../server/world.ts";
import type { Home } from "../../../store/home.ts";
import type { Context } from "../../command.ts";
import { clusterFor } from "../../server/cluster.ts";
import { starting } from "../../server/starting.ts";
import { telling } from "../../server/telling.ts";
import { trying } from "../../server/trying.ts";

/** What the server may not do by itself: starting hosts, trying agents, and knowing how people are told. */
export async function worldOf(home: Home, log: Log, hub: HubCore | undefined, context: Context): Promise<World> {
  const { env, clock } = context;
  return {
    home,
    clock,
    log,
    env,
    starting: starting(context),
    cluster: await clusterFor(env, clock),
    hub,
    trying: trying(home.root, env),
    telling: telling(home.root, env, clock),
  };
}
