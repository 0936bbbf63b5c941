import type { clusterRoutes } from "../../../contract/api/cluster.ts";
import { AppError, messageOf } from "../../../contract/errors.ts";
import type { Handlers } from "../api/handlers.ts";
import { pageOf } from "../api/paging.ts";
import type { Cluster, ServerPorts } from "../ports.ts";

export function clusterHandlers({ cluster }: ServerPorts): Handlers<keyof typeof clusterRoutes> {
  const there = (): Cluster => {
    if (cluster !== undefined) return cluster;
    throw new AppError(
      "cluster.config",
      "cluster: there is no kubeconfig; set KUBECONFIG, or start the server in a pod",
    );
  };
  return {
    "GET /cluster": async () => {
      if (cluster === undefined) return { available: false, context: "", namespace: "", why: "there is no kubeconfig" };
      const { context, namespace } = cluster;
      try {
        await cluster.list();
        return { available: true, context, namespace };
      } catch (error) {
        return { available: false, context, namespace, why: messageOf(error) };
      }
    },
    "GET /cluster/tasks": async ({ query: { limit, cursor, phase } }) => {
      const all = (await there().list()).filter((task) => phase === undefined || task.phase === phase);
      return pageOf(all, { limit, cursor }, ({ namespace, name }) => `${namespace}/${name}`);
    },
    "GET /cluster/tasks/{namespace}/{name}": ({ params }) => there().get(params.namespace, params.name),
    "POST /cluster/tasks/{namespace}/{name}/cancel": async ({ params }) => {
      await there().cancel(params.namespace, params.name);
      return undefined;
    },
    "GET /cluster/tasks/{namespace}/{name}/stream": async ({ params }, { exchange }) => {
      const { request, response, signal } = exchange;
      // A pod's log has no place to begin at: what the client has is counted off.
      const known = Number(request.headers["last-event-id"] ?? 0) || 0;
      const events = there().follow(params.namespace, params.name, signal);
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      let seq = 0;
      for await (const batch of events) {
        const at = new Date().toISOString();
        const fresh = batch.map((event) => ({ seq: (seq += 1), at, ...event })).filter((event) => event.seq > known);
        const text = fresh.map((event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`).join("");
        // A client that doesn't read holds up its own stream, and nobody else.
        if (!response.write(text))
          await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
        if (signal.aborted) break;
      }
      response.end("event: end\ndata: {}\n\n");
      return undefined;
    },
  };
}
