import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { createLog } from "../../lib/base/log.ts";
import type { RecordFolder } from "./files.ts";
import { type KeptSession, Registry, type RegistryNews } from "./registry.ts";
import { defaultTimes, watchSessions } from "./watch.ts";

/** Takes nothing while it is full. */
class Disk implements Pick<RecordFolder<KeptSession>, "write" | "remove" | "readAll"> {
  full = false;
  write(): void {
    if (this.full) throw new Error("no space left");
  }
  remove(): void {
    this.write();
  }
  readAll(): [] {
    return [];
  }
}

function scene() {
  const disk = new Disk();
  const registry = new Registry(disk as unknown as RecordFolder<KeptSession>);
  const news: RegistryNews["event"][] = [];
  registry.listen(({ event }) => void news.push(event));
  return { disk, registry, news };
}

const here = { url: "http://127.0.0.1:1" };

test("what can't be written down is not half known: the next attempt is as the first", () => {
  const { disk, registry, news } = scene();
  disk.full = true;
  expect(() => registry.register(here, 0)).toThrow("no space");
  expect(registry.sessions).toEqual([]);
  disk.full = false;
  const { id } = registry.register(here, 0);
  disk.full = true;
  expect(() => registry.register({ ...here, id, auth_token: "new" }, 0)).toThrow("no space");
  expect(registry.require(id).token).toBe("");
  expect(() => registry.remove(id)).toThrow("no space");
  disk.full = false;
  registry.register({ ...here, id, auth_token: "new" }, 0);
  registry.remove(id);
  expect(news).toEqual(["session:online", "session:updated", "session:offline"]);
});

test("a session that can't be forgotten for now is said, and tried again", async () => {
  const { disk, registry } = scene();
  const logged: string[] = [];
  const clock = new FakeClock();
  const log = createLog({ sink: (line) => void logged.push(line), level: "error", now: () => 0 });
  registry.register(here, 0); // nobody answers there
  const stop = watchSessions(registry, { clock, log, times: { ...defaultTimes, failures: 1 }, heard: () => {} });
  disk.full = true;
  await expect.poll(() => logged.length).toBe(1);
  disk.full = false;
  await expect
    .poll(() => {
      clock.advance(defaultTimes.healthMs);
      return registry.sessions;
    })
    .toEqual([]);
  stop();
});
