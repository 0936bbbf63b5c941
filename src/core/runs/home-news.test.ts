import { expect, onTestFinished, test, vi } from "vitest";
import { TestClock } from "../../faces/cli/testing/test-context.ts";
import { begin, opened, permission } from "../../faces/cli/testing/test-events.ts";
import { TestHome } from "../../faces/cli/testing/test-home.ts";
import { homeNews } from "./home-news.ts";

test("runs that begin, ask and end are told at once, without a look at the clock", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const home = new TestHome();
  onTestFinished(() => home.remove());
  const leave = new AbortController();
  const news = homeNews(home.home, new TestClock(), leave.signal);
  expect((await news.next()).done).toBe(false);
  const run = await home.addLiveRun([opened, begin]);
  await news.next(); // its log is watched from here on
  run.say([permission("p0")]);
  await news.next();
  run.end();
  await news.next();
  leave.abort();
  expect((await news.next()).done).toBe(true);
});
