import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../test/support/cox.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { systemClock } from "../../lib/base/clock.ts";
import { LogFollower } from "./log-follower.ts";

function follow() {
  const folder = temporaryFolder();
  const lines: unknown[] = [];
  const follower = new LogFollower({ clock: systemClock, pollMs: 50, onLine: (line) => lines.push(line) });
  onTestFinished(() => follower.close());
  return { path: (name: string) => join(folder, name), follower, lines };
}

test("waits for the file, and for the rest of a line", async () => {
  const { path, follower, lines } = follow();
  follower.follow(() => path("a"));
  writeFileSync(path("a"), '{"n":1}\n{"n":');
  await until(() => lines.length === 1);
  appendFileSync(path("a"), '2}\nnot json\n{"n":3}\n{broken\n{"n":4}\n');
  await until(() => lines.length === 4);
  expect(lines).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
});

test("begins where it is told, and follows another file instead", async () => {
  const { path, follower, lines } = follow();
  writeFileSync(path("a"), '{"old":1}\n');
  follower.follow(() => path("a"), 10);
  appendFileSync(path("a"), '{"n":1}\n');
  await until(() => lines.length === 1);
  follower.follow(() => path("b"));
  writeFileSync(path("b"), '{"n":2}\n');
  await until(() => lines.length === 2);
  appendFileSync(path("a"), '{"n":99}\n');
  appendFileSync(path("b"), '{"n":3}\n');
  await until(() => lines.length === 3);
  expect(lines).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});
