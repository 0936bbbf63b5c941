import { expect, test } from "vitest";
import { metrics } from "./metrics.ts";

test("the text that Prometheus reads", () => {
  const all = metrics();
  const requests = all.counter("cox_requests_total", "Requests,\nby route.");
  requests.add(1, { route: "GET /runs", status: "200" });
  requests.add(2, { route: "GET /runs", status: "200" });
  requests.add(1, { route: 'a"b\\c\nd', status: "404" });
  const clients = all.gauge("cox_clients", "Clients.");
  clients.set(3);
  clients.add(-1);
  all.gauge("cox_live", "Live runs.", () => 7);
  const seconds = all.histogram("cox_seconds", "Time.", [0.1, 1]);
  seconds.observe(0.05);
  seconds.observe(0.5);
  seconds.observe(5);
  expect(all.text()).toBe(`# HELP cox_requests_total Requests, by route.
# TYPE cox_requests_total counter
cox_requests_total{route="GET /runs",status="200"} 3
cox_requests_total{route="a\\"b\\\\c\\nd",status="404"} 1
# HELP cox_clients Clients.
# TYPE cox_clients gauge
cox_clients 2
# HELP cox_live Live runs.
# TYPE cox_live gauge
cox_live 7
# HELP cox_seconds Time.
# TYPE cox_seconds histogram
cox_seconds_bucket{le="0.1"} 1
cox_seconds_bucket{le="1"} 2
cox_seconds_bucket{le="+Inf"} 3
cox_seconds_sum 5.55
cox_seconds_count 3
`);
});
