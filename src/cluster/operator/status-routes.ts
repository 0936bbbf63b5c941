import type { Route } from "../../lib/http/route.ts";
import type { Operator } from "./operator.ts";

/** For the kubelet and for Prometheus; nothing here changes anything or tells what Tasks are about. */
export function statusRoutes(operator: Operator): Route[] {
  const text = (body: string) => ({
    text: body,
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
  });
  return [
    { method: "GET", path: "/healthz", access: "open", handle: () => text("ok\n") },
    // One that stands by is ready: it has nothing to do but wait.
    {
      method: "GET",
      path: "/readyz",
      access: "open",
      handle: () => text(operator.leading() ? "leading\n" : "standing by\n"),
    },
    { method: "GET", path: "/metrics", access: "open", handle: () => text(operator.metrics.registry.text()) },
  ];
}
