import { WebSocketServer } from "ws";
import type { terminalRoutes } from "../../contract/api/terminals.ts";
import { AppError } from "../../contract/errors.ts";
import type { Handlers } from "../../faces/server/api/handlers.ts";
import type { Terminals } from "../../faces/server/ports.ts";
import type { UpgradeRoute } from "../../lib/http/route.ts";
import type { HubCore } from "../../terminal/hub/core.ts";
import { pipe } from "../../terminal/hub/pipe.ts";
import { proxied } from "../../terminal/hub/upstream.ts";

/** The hub's terminals for whoever is signed in here: the page can't show the hub's own token. */
export const terminalsOf = (hub: HubCore | undefined): Terminals => ({
  handlers: terminalHandlers(hub),
  upgrades: terminalUpgrades(hub),
});

function terminalHandlers(hub: HubCore | undefined): Handlers<keyof typeof terminalRoutes> {
  return {
    "GET /terminals": () => ({
      hub: hub !== undefined,
      items: (hub?.registry.sessions ?? []).map(({ id, url, metadata, state = "unknown", registered_at_ms }) => ({
        id,
        url,
        metadata,
        state,
        registered: new Date(registered_at_ms).toISOString(),
      })),
    }),
    "POST /terminals/{terminal}/input": async ({ params, body }) => {
      await proxied(requireHub(hub).registry.require(params.terminal), "input", body);
      return undefined;
    },
  };
}

function terminalUpgrades(hub: HubCore | undefined): UpgradeRoute[] {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 * 1024, perMessageDeflate: false });
  return [
    {
      path: "/api/v1/terminals/stream",
      access: "read",
      accept({ request, identity }, socket, head) {
        const { overview } = requireHub(hub);
        const scope = identity?.scope === "all" ? "all" : "read";
        sockets.handleUpgrade(request, socket, head, (client) => overview.accept(client, scope));
      },
    },
    {
      path: "/api/v1/terminals/{terminal}/line",
      access: "all",
      accept({ request, params }, socket, head) {
        const session = requireHub(hub).registry.require(params.terminal ?? "");
        sockets.handleUpgrade(request, socket, head, (client) => void pipe(client, session, "subscribe=pty,state"));
      },
    },
  ];
}

function requireHub(hub: HubCore | undefined): HubCore {
  if (hub !== undefined) return hub;
  throw new AppError("hub.not_found", "terminals: this server has no hub; start it with `cox serve --hub`");
}
