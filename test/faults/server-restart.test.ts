import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RecordedEvent } from "../../src/contract/events.ts";
import { type HttpClient, httpClient } from "../../src/lib/client/http.ts";
import { scene, until } from "../support/cox.ts";
import { startServer } from "../support/server.ts";
import { Conversation } from "../support/talk.ts";

const COUNT = 20;

const alive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const detailOf = (client: HttpClient, run: string) => client.call("GET /runs/{run}", { params: { run } });
const isDense = (events: readonly RecordedEvent[]) => events.every(({ seq }, index) => seq === index + 1);

test("20 sessions with open requests outlive the server; without their hosts they are ended, and go on", async () => {
  const made = scene();
  const first = await startServer(made);
  const before = httpClient({ url: first.url, token: first.token });
  const talks: Conversation[] = [];
  for (let i = 0; i < COUNT; i += 1) {
    const wishes = { agent: "demo", project: "shop", task: `task-${i}`, workspace: made.workspace };
    talks.push(await Conversation.start(before, { prompt: `@say number ${i}\n@permission May I?`, ...wishes }));
  }
  await Promise.all(talks.map((talk) => talk.untilType("permission_request")));
  const pids = await Promise.all(talks.map(async ({ run }) => (await detailOf(before, run)).pid));
  const seen = talks.map(({ events }) => [...events]);
  for (const talk of talks) talk.leave();

  first.child.kill("SIGKILL");
  await until(() => !alive(first.pid));
  const second = await startServer(made);
  const client = httpClient({ url: second.url, token: second.token });
  const { items } = await client.call("GET /inbox");
  expect(items).toHaveLength(COUNT);
  expect(await Promise.all(talks.map(async ({ run }) => (await detailOf(client, run)).pid))).toEqual(pids);
  expect(pids.every(alive)).toBe(true);

  const again = talks.map(({ run }) => new Conversation(client, run));
  await Promise.all(again.map((talk) => talk.untilType("permission_request")));
  again.forEach((talk, i) => {
    expect(isDense(talk.events)).toBe(true);
    expect(talk.events.slice(0, seen[i]?.length)).toEqual(seen[i]);
  });
  for (const { run_id, pending_id } of items.slice(0, COUNT / 2)) {
    await again.find(({ run }) => run === run_id)?.answer(pending_id, "allow-once");
  }
  const answered = new Set(items.slice(0, COUNT / 2).map(({ run_id }) => run_id));
  await Promise.all(again.filter(({ run }) => answered.has(run)).map((talk) => talk.untilType("complete")));

  const hosts = await Promise.all(talks.map(async ({ run }) => (await detailOf(client, run)).host_pid));
  const killed = performance.now();
  for (const host of hosts) process.kill(host, "SIGKILL");
  await Promise.all(again.map((talk) => talk.ended()));
  const tookMs = performance.now() - killed;
  const details = await Promise.all(talks.map(({ run }) => detailOf(client, run)));
  expect(details.map(({ reason }) => reason)).toEqual(details.map(() => "host_lost"));
  expect(tookMs).toBeLessThan(60_000); // half a second on a quiet machine
  await until(() => !pids.some(alive));
  for (const { events } of again) expect(isDense(events)).toBe(true);
  expect((await client.call("GET /inbox")).items).toEqual([]);

  const next = await Promise.all(
    again.map(async (talk) => new Conversation(client, (await talk.prompt("@memory")).run_id)),
  );
  await Promise.all(next.map((talk) => talk.untilType("complete")));
  next.forEach((talk, i) => {
    expect(talk.said()).toContain(`@say number ${i}`);
  });
  await Promise.all(next.map((talk) => talk.stop()));
  await until(() => readdirSync(join(made.home, "hosts")).every((name) => !name.endsWith(".json")));
  await second.stop();
  console.log(JSON.stringify({ hostLostMs: Math.round(tookMs) }));
});
