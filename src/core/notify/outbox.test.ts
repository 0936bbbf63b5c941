import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type Home, openHome } from "../store/home.ts";
import { type NotifyMessage, newMessage, testDraft } from "./message.ts";
import { claimMessage, dropOldFailures, listMessages, putMessage, waitingMessages } from "./outbox.ts";
import { type Channels, sendDue, sendFor } from "./send.ts";

const clock = () => new FakeClock();
const newHome = () => openHome(join(temporaryFolder(), "home"));
const names = (home: Home) => readdirSync(join(home.root, "outbox")).filter((name) => name !== "failed");

function put(home: Home, now: number, channel: "webhook" | "desktop" = "webhook"): NotifyMessage {
  const message = newMessage(testDraft, now);
  putMessage(home, channel, message, now);
  return message;
}

const failing: Channels = {
  webhook: () => Promise.reject(new Error("down")),
  desktop: () => Promise.reject(new Error("no screen")),
};

describe("the outbox", () => {
  test("a message is sent once and is gone", async () => {
    const [home, time] = [newHome(), clock()];
    const sent: NotifyMessage[] = [];
    const message = put(home, time.now());
    const channels: Channels = { webhook: async (each) => void sent.push(each) };
    const sending = { home, channels, clock: time, random: () => 1 };
    expect(await sendDue(sending)).toBeUndefined();
    expect(await sendDue(sending)).toBeUndefined();
    expect(sent).toEqual([message]);
    expect(names(home)).toEqual([]);
  });

  test("of two senders one gets it, and nobody sends what another is sending", async () => {
    const [home, time] = [newHome(), clock()];
    put(home, time.now());
    const [waiting] = waitingMessages(home);
    if (waiting === undefined) throw new Error("nothing waits");
    const claimed = claimMessage(home, waiting);
    expect(claimed).toBeDefined();
    expect(claimMessage(home, waiting)).toBeUndefined();
    expect(waitingMessages(home)).toMatchObject([{ taken: true }]);
    expect(await sendDue({ home, channels: {}, clock: time, random: () => 1 })).toBeUndefined();
    claimed?.done();
    expect(names(home)).toEqual([]);
  });

  test("who dies with a message leaves it to the next", async () => {
    const [home, time] = [newHome(), clock()];
    const message = put(home, time.now());
    const [name = ""] = names(home);
    const dead = `${name}.${process.pid}-${Buffer.from("another-boot 1").toString("base64url")}`;
    renameSync(join(home.root, "outbox", name), join(home.root, "outbox", dead));
    const sent: string[] = [];
    await sendDue({ home, channels: { webhook: async ({ id }) => void sent.push(id) }, clock: time, random: () => 1 });
    expect(sent).toEqual([message.id]);
  });

  test("what fails waits longer each time, with the reason, and is given up after a day", async () => {
    const [home, time] = [newHome(), clock()];
    put(home, time.now());
    const began = time.now();
    const tries: number[] = [];
    for (let i = 0; i < 100; i += 1) {
      const next = await sendDue({ home, channels: failing, clock: time, random: () => 1 });
      if (next === undefined) break;
      tries.push((time.now() - began) / 1000);
      expect(listMessages(home)).toMatchObject([{ state: "waiting", attempts: tries.length, lastError: "down" }]);
      time.advance(next - time.now());
    }
    expect(tries.slice(0, 6)).toEqual([0, 10, 40, 130, 400, 1210]);
    expect(time.now() - began).toBeGreaterThan(22 * 3_600_000);
    expect(listMessages(home)).toMatchObject([{ state: "failed", lastError: "down" }]);
    expect(names(home)).toEqual([]);
  });

  test("what failed and can't be written down waits again all the same, and isn't kept by who lives on", async () => {
    const [home, time] = [newHome(), clock()];
    put(home, time.now());
    const webhook = async () => {
      const path = join(home.root, "outbox", names(home)[0] ?? "");
      rmSync(path);
      mkdirSync(path); // nothing can be written there
      throw new Error("down");
    };
    const sending = sendDue({ home, channels: { webhook }, clock: time, random: () => 1 });
    await expect(sending).rejects.toMatchObject({ code: "store.unwritable" });
    expect(waitingMessages(home)).toMatchObject([{ taken: false }]);
  });

  test("a bubble on the screen is of no use later", async () => {
    const [home, time] = [newHome(), clock()];
    put(home, time.now(), "desktop");
    const sending = { home, channels: failing, clock: time, random: () => 1 };
    for (let next = await sendDue(sending); next !== undefined; next = await sendDue(sending))
      time.advance(next - time.now());
    expect(listMessages(home)).toMatchObject([{ state: "failed", channel: "desktop", attempts: 3 }]);
  });

  test("a channel that is no longer set up gets nothing", async () => {
    const [home, time] = [newHome(), clock()];
    put(home, time.now());
    await sendDue({ home, channels: {}, clock: time, random: () => 1 });
    expect(listMessages(home)).toMatchObject([{ state: "failed", lastError: "this channel is not set up any more" }]);
  });

  test("a sender stays for what is due soon, not for what is due later", async () => {
    const [home, time] = [newHome(), clock()];
    put(home, time.now());
    let tries = 0;
    const channels: Channels = {
      webhook: async () => {
        tries += 1;
        throw new Error("down");
      },
    };
    time.sleep = async (ms) => time.advance(ms);
    await sendFor({ home, channels, clock: time, random: () => 1 }, 60_000);
    expect(tries).toBe(3);
    expect(waitingMessages(home)).toMatchObject([{ taken: false }]);
  });

  test("what is damaged is dropped, what isn't ours is left alone", async () => {
    const [home, time] = [newHome(), clock()];
    put(home, time.now());
    const [name = ""] = names(home);
    writeFileSync(join(home.root, "outbox", name), "{");
    writeFileSync(join(home.root, "outbox", "README"), "mine");
    await sendDue({ home, channels: failing, clock: time, random: () => 1 });
    expect(names(home)).toEqual(["README"]);
  });

  test("what was given up is kept for a week", async () => {
    const [home, time] = [newHome(), clock()];
    put(home, time.now());
    await sendDue({ home, channels: {}, clock: time, random: () => 1 });
    const folder = join(home.root, "outbox/failed");
    const [name = ""] = readdirSync(folder);
    utimesSync(join(folder, name), 1000, 1000);
    dropOldFailures(home, 1_000_000);
    expect(existsSync(join(folder, name))).toBe(true);
    dropOldFailures(home, 1_000_001);
    expect(existsSync(join(folder, name))).toBe(false);
  });

  test("nothing to send on a fresh machine", async () => {
    expect(await sendDue({ home: newHome(), channels: {}, clock: clock(), random: () => 1 })).toBeUndefined();
  });
});
