import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../lib/base/clock.ts";
import { createLog } from "../../lib/base/log.ts";
import { KubeClient } from "./client.ts";
import { Informer } from "./informer.ts";
import type { KubeObject, Resource } from "./resource.ts";
import { Store } from "./store.ts";
import { type Fault, status, TestApiServer } from "./test-api-server.ts";

const things: Resource = { apiVersion: "v1", kind: "Thing", plural: "things" };

let server: TestApiServer;
let client: KubeClient;
let stop: AbortController;
let running: Promise<void>;
let store: Store<KubeObject>;
let changes: string[];
let tick: () => void;

beforeEach(async () => {
  server = await TestApiServer.start();
  client = new KubeClient({ server: server.url, namespace: "ns", token: async () => undefined });
  stop = new AbortController();
  store = new Store<KubeObject>({});
  changes = [];
  tick = () => {};
});
afterEach(async () => {
  stop.abort();
  await running;
  client.close();
  await server.close();
});

async function start(inactivityMs = 60_000): Promise<void> {
  const informer = new Informer({
    ...{ client, resource: things, namespace: "ns", store, inactivityMs },
    clock: systemClock,
    log: createLog({ sink: () => {}, level: "error", now: Date.now }),
    trim: (object) => object,
    onChange: (key, after, before) => {
      changes.push(`${after === undefined ? "gone" : before === undefined ? "new" : "changed"} ${key}`);
      tick();
    },
    backoff: { base: 1, factor: 2, cap: 20 },
  });
  running = informer.run(stop.signal);
  await informer.synced;
}

/** What the store holds, in the server's own form. */
const known = () =>
  Object.fromEntries([...store.keys()].map((key) => [key.slice(3), store.get(key)?.metadata.resourceVersion]));

/** Waits until both agree, by events. */
async function agrees(): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (JSON.stringify(sorted(known())) !== JSON.stringify(sorted(server.state))) {
    if (Date.now() > deadline) expect(known()).toEqual(server.state);
    await new Promise<void>((resolve) => {
      tick = resolve;
      setTimeout(resolve, 20);
    });
  }
}
const sorted = (record: Record<string, unknown>) => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));

/** Every way a watch can break. Each leaves the watch to be taken up again while something happens unseen. */
const faults: Record<string, { fault: Fault; lists: number; inactivityMs?: number }> = {
  "cut after some events": {
    fault: (response, from) => {
      response.writeHead(200);
      response.write(server.bookmark(from), () => response.destroy());
    },
    lists: 0,
  },
  "410 as a status": { fault: status(410), lists: 1 },
  "410 in the stream": {
    fault: (response) =>
      response.end(server.line("ERROR", { kind: "Status", code: 410, message: "too old", reason: "Expired" })),
    lists: 1,
  },
  "429 with Retry-After": { fault: status(429, { "retry-after": "0" }), lists: 0 },
  "500": { fault: status(500), lists: 0 },
  "half a line": {
    fault: (response) => {
      response.writeHead(200);
      response.end('{"type":"ADDED","object":{"metada');
    },
    lists: 0,
  },
  "a line that is no JSON": { fault: (response) => response.end("<html>proxy error</html>\n"), lists: 0 },
  silence: {
    fault: (response) => {
      response.writeHead(200);
      response.flushHeaders();
    },
    lists: 0,
    inactivityMs: 50,
  },
  "bookmarks only": {
    fault: (response, from) => response.end(server.bookmark(from)),
    lists: 0,
  },
  "an end at once": { fault: (response) => response.end(), lists: 0 },
  "the same ADDED again": { fault: (response, from) => response.end(server.repeated(from)), lists: 0 },
};

describe.each(Object.entries(faults))("a watch broken by %s", (_, { fault, lists, inactivityMs }) => {
  test("is healed: nothing missed, nothing twice, and little asked", async () => {
    server.put("a");
    server.put("b");
    server.faults.push(fault);
    await start(inactivityMs);
    server.put("a");
    server.remove("b");
    server.put("c");
    await agrees();
    expect(changes.filter((change) => change === "gone ns/b")).toHaveLength(1);
    expect(changes.filter((change) => change === "new ns/c")).toHaveLength(1);
    const watches = server.requests.filter((request) => request === "watch").length;
    expect(server.requests.filter((request) => request === "list")).toHaveLength(1 + lists);
    // A silent watch is broken off as often as it stays silent.
    if (inactivityMs === undefined) expect(watches).toBeLessThanOrEqual(2);
  });

  test("a hundred times in a row", async () => {
    server.faults.push(...Array.from({ length: 10 }, () => fault));
    await start(inactivityMs);
    for (let round = 0; round < 100; round += 1) {
      server.put(`o${round % 7}`);
      if (round % 3 === 0) server.remove(`o${(round + 3) % 7}`);
      if (round % 10 === 0) server.cut();
    }
    await agrees();
  });
});

describe("a list", () => {
  test("that fails is asked again", async () => {
    server.put("a");
    server.listFaults.push(status(500), status(503), status(429, { "retry-after": "0" }));
    await start();
    await agrees();
  });

  test("tells of what was deleted while nobody watched", async () => {
    server.put("a");
    server.put("b");
    await start();
    server.faults.push(status(410));
    server.cut();
    server.remove("b");
    await agrees();
    expect(changes).toContain("gone ns/b");
  });

  test("counts as the truth even when its versions went backwards", async () => {
    for (const name of ["a", "b", "c"]) server.put(name);
    await start();
    server.turnBack(2);
    server.faults.push(status(410));
    server.cut();
    server.put("d");
    await agrees();
  });
});

test("an old version of an object does not replace a newer one", () => {
  const thing = (resourceVersion: string, uid = "u") => ({
    apiVersion: "v1",
    kind: "Thing",
    metadata: { name: "a", namespace: "ns", uid, resourceVersion },
  });
  const one = new Store<KubeObject>({});
  expect(one.put(thing("9")).changed).toBe(true);
  expect(one.put(thing("9")).changed).toBe(false);
  expect(one.put(thing("8")).changed).toBe(false);
  expect(one.put(thing("10")).changed).toBe(true);
  expect(one.put(thing("2", "another")).changed).toBe(true);
});

test("an index follows its objects", () => {
  const labelled = (resourceVersion: string, label: string) => ({
    apiVersion: "v1",
    kind: "Thing",
    metadata: { name: "a", namespace: "ns", resourceVersion, labels: { label } },
  });
  const one = new Store<KubeObject, "label">({ label: ({ metadata }) => [metadata.labels?.label ?? ""] });
  one.put(labelled("1", "x"));
  one.put(labelled("2", "y"));
  expect([one.by("label", "x").length, one.by("label", "y").length]).toEqual([0, 1]);
  one.delete("ns/a");
  expect(one.by("label", "y")).toEqual([]);
});
