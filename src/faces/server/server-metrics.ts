import { type Metrics, metrics } from "../../lib/http/metrics.ts";
import type { Route } from "../../lib/http/route.ts";

/** What the server counts of itself, for Prometheus and for `GET /health`. */
export interface ServerMetrics {
  registry: Metrics;
  /** For each request: called at its begin, what it returns at its end; that says how many milliseconds it took. */
  watch(route: Route | undefined): (status: number) => number;
}

export interface CountedElsewhere {
  liveRuns(): number;
  openRequests(): number;
  streamClients(): number;
  eventsSent(): number;
}

export function serverMetrics(elsewhere: CountedElsewhere, now: () => number): ServerMetrics {
  const registry = metrics();
  const requests = registry.counter("cox_http_requests_total", "Requests, by route and status.");
  const seconds = registry.histogram("cox_http_request_duration_seconds", "Time to the end of the response, by route.");
  const open = registry.gauge("cox_http_requests_in_flight", "Requests under way, streams included.");
  open.set(0);
  registry.gauge("cox_stream_clients", "Clients that follow a stream of events.", elsewhere.streamClients);
  registry.gauge("cox_live_runs", "Runs whose host lives on this machine.", elsewhere.liveRuns);
  registry.gauge("cox_open_requests", "Permissions and questions that wait for a person.", elsewhere.openRequests);
  registry.counter("cox_events_sent_total", "Events sent to clients that follow.", elsewhere.eventsSent);
  registry.gauge("process_resident_memory_bytes", "Memory of the server.", () => process.memoryUsage.rss());
  const started = registry.gauge("process_start_time_seconds", "When the server started.");
  started.set(Date.now() / 1000 - process.uptime());
  return {
    registry,
    watch(route) {
      const begun = now();
      const name = route === undefined ? "none" : `${route.method} ${route.path}`;
      open.add(1);
      return (status) => {
        open.add(-1);
        requests.add(1, { route: name, status: String(status) });
        const ms = now() - begun;
        seconds.observe(ms / 1000, { route: name });
        return ms;
      };
    },
  };
}
