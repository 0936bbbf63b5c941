import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { systemClock } from "../../../lib/base/clock.ts";
import { openHome } from "../home.ts";
import { untilEnded } from "./until-ended.ts";

/** Runs that are live until their claim is removed. */
function scene() {
  const home = openHome(temporaryFolder());
  const claim = join(home.hosts, "claim");
  writeFileSync(claim, "");
  let live = ["run"];
  let looks = 0;
  const look = () => {
    looks += 1;
    return live;
  };
  const end = () => {
    live = [];
    rmSync(claim);
  };
  return { home, look, end, looks: () => looks, endUnnoticed: () => (live = []) };
}

test("what has ended already is not waited for", async () => {
  const { home, look, end, looks } = scene();
  end();
  expect(await untilEnded(home, look, { clock: systemClock })).toEqual([]);
  expect(looks()).toBe(1);
});

test("an end is noticed when the claim goes, not by looking often", async () => {
  const { home, look, end, looks } = scene();
  const ended = untilEnded(home, look, { clock: systemClock });
  await systemClock.sleep(20);
  const before = looks();
  end();
  expect(await ended).toEqual([]);
  expect(looks() - before).toBeLessThanOrEqual(2);
});

test("and also where nobody told", async () => {
  const { home, look, endUnnoticed } = scene();
  const ended = untilEnded(home, look, { clock: systemClock });
  endUnnoticed();
  expect(await ended).toEqual([]);
});

test("when the time is over, or nobody wants to know, those that are live still", async () => {
  const { home, look } = scene();
  const clock = new FakeClock();
  const late = untilEnded(home, look, { clock, limitMs: 5000 });
  await systemClock.sleep(10);
  clock.advance(5000);
  expect(await late).toEqual(["run"]);
  expect(await untilEnded(home, look, { clock, limitMs: 0 })).toEqual(["run"]);
  const stop = new AbortController();
  const left = untilEnded(home, look, { clock, signal: stop.signal });
  stop.abort();
  expect(await left).toEqual(["run"]);
});

test("a run whose host is gone is ended by whoever waits", async () => {
  const { home, look, end } = scene();
  const heal = async () => end();
  expect(await untilEnded(home, look, { clock: systemClock, heal })).toEqual([]);
});
