import { mkdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { blankRunInfo } from "../../../contract/runs/run.ts";
import { EventLog } from "../../../core/store/events/event-log.ts";
import { type Home, openHome, runFolder } from "../../../core/store/home.ts";
import { appendLedger, startRecord } from "../../../core/store/ledger/ledger.ts";
import { claimRun } from "../../../core/store/runs/claims.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { systemClock } from "../../../lib/base/clock.ts";
import { catchUp } from "./catch-up.ts";
import type { StreamClient } from "./client.ts";
import { beginning } from "./cursor.ts";
import type { Frames } from "./frames.ts";
import { JournalTail } from "./journal-tail.ts";
import { ScopeFeed } from "./scope-feed.ts";

function liveRun(home: Home, runId: string) {
  const paths = runPaths(runFolder(home, "p", "t", runId));
  claimRun(home, runId, { pid: process.pid, start: "", boot: "", namespace: "", dir: paths.dir });
  mkdirSync(paths.dir, { recursive: true });
  appendLedger(
    home,
    startRecord({ ...blankRunInfo, run_id: runId, project_id: "p", task_id: "t", start_time: "2026" }, ""),
  );
  const log = new EventLog(paths.events);
  onTestFinished(() => log.close());
  const say = (text: string) => log.append([{ type: "message_chunk", messageId: "m", text }], "");
  say(`${runId.at(-1)} begins`);
  return { runId, events: paths.events, say };
}

/** As much of a client as is needed, and what it was sent. */
function listener(heard: (text: string) => void = () => {}) {
  const sent: string[] = [];
  const send = ({ bytes }: Frames) => {
    sent.push(bytes.toString());
    heard(bytes.toString());
  };
  const client = { over: false, send, replay: async (frames: Frames) => send(frames), onGone: () => {} };
  return { client: client as unknown as StreamClient, text: () => sent.join("") };
}

test("what the feed read for others, while a client came to the present, is not told to it twice", async () => {
  const home = openHome(temporaryFolder());
  const [first, second] = ["1", "2"].map((n) => liveRun(home, `20261115-0900000000-0000001-000${n}`));
  if (first === undefined || second === undefined) throw new Error("two were made");
  const feed = new ScopeFeed({
    home,
    clock: systemClock,
    scope: {},
    runs: undefined,
    share: (_, path) => {
      const tail = new JournalTail(path, () => true);
      return { tail, release: () => tail.release() };
    },
    eventsPathOf: (runId) => (runId === first.runId ? first.events : second.events),
  });
  onTestFinished(() => feed.close());
  const other = listener();
  feed.add(other.client, undefined);
  let told = false;
  const late = listener((text) => {
    if (told || !text.includes("1 begins")) return;
    told = true;
    second.say("meanwhile");
    feed.liveRuns.get(second.runId)?.tail.poll(); // it waits now to be sent, with whatever comes within the same tick
  });
  await catchUp(late.client, feed, beginning, undefined);
  first.say("at last");
  feed.poll();
  expect(other.text().split("meanwhile")).toHaveLength(2);
  expect(late.text().split("meanwhile")).toHaveLength(2);
  expect(late.text()).toContain("at last");
});
