import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { until } from "../../../../test/support/cox.ts";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { fakeOAuth, type OAuthAnswer } from "../../../../test/support/fake-oauth.ts";
import { systemClock } from "../../../lib/base/clock.ts";
import { testPlace } from "../test-place.ts";
import { parseCredentials } from "./file.ts";
import { type Renewal, renew } from "./oauth.ts";
import { dueOf, keepFresh, refreshOnce } from "./refresh.ts";

const HOUR = 3_600_000;
const now = Date.parse("2026-01-01T00:00:00.000Z");
const login = (expiresAt: number, more = {}) => ({
  claudeAiOauth: { accessToken: "access-0", refreshToken: "refresh-0", expiresAt, scopes: ["user:inference"], ...more },
  other: { kept: true },
});
const credentials = (value: object) => parseCredentials(JSON.stringify(value));

describe("when a login is due", () => {
  test.each<[string, object | undefined, ReturnType<typeof dueOf>]>([
    ["there is none", undefined, "no login"],
    ["two hours left", login(now + 2 * HOUR), "fresh"],
    ["a moment more than an hour left", login(now + HOUR + 1), "fresh"],
    ["an hour left", login(now + HOUR), "due"],
    ["over", login(now - 1), "due"],
    ["the mark of a host that manages it", login(9_999_999_999_999), "managed elsewhere"],
    ["the smallest such mark", login(9_999_999_999_000), "managed elsewhere"],
    // Every time of this century has as many digits as the mark that the original's design names.
    ["a real time above 10^12", login(1_800_000_000_000), "fresh"],
    ["no refresh token", login(now, { refreshToken: "" }), "not renewable"],
    ["no time", login(0), "not renewable"],
  ])("%s", (_, value, due) => {
    expect(dueOf(value && credentials(value), now)).toBe(due);
  });

  test("by another mark, where one is set", () => {
    expect(dueOf(credentials(login(1_800_000_000_000)), now, 1e12)).toBe("managed elsewhere");
  });
});

function scene(expiresAt = now + 60_000) {
  const place = testPlace();
  mkdirSync(place.places.claude, { recursive: true });
  const file = place.places.credentials;
  writeFileSync(file, JSON.stringify(login(expiresAt)), { mode: 0o600 });
  const read = () => JSON.parse(readFileSync(file, "utf8"));
  return { ...place, file, read };
}

async function once(answer: OAuthAnswer) {
  const { file, log, read } = scene();
  const server = await fakeOAuth(answer);
  const attempts: number[] = [];
  const options = {
    file,
    clock: { ...systemClock, now: () => now },
    log,
    renew: (token: string, signal: AbortSignal) => renew(server.url, token, signal, answer === "hang" ? 300 : 15_000),
    onAttempt: (failures: number) => attempts.push(failures),
  };
  const outcome = await refreshOnce(options, new AbortController().signal);
  return { outcome, read, file, asked: server.asked };
}

describe("one renewal", () => {
  test("asks as Claude does, and keeps what it doesn't know", async () => {
    const { outcome, read, file, asked } = await once("rotated");
    expect(asked).toEqual([
      { grant_type: "refresh_token", refresh_token: "refresh-0", client_id: "9d1c250a-e61b-44d9-88ed-5944d1962f5e" },
    ]);
    expect(outcome).toEqual({ done: "renewed" });
    expect(read()).toEqual({
      claudeAiOauth: {
        accessToken: "access-1",
        refreshToken: "refresh-1",
        expiresAt: now + 28_800_000,
        scopes: ["user:inference"],
      },
      other: { kept: true },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test("a server that doesn't rotate leaves the refresh token as it is", async () => {
    const { outcome, read } = await once("200");
    expect(outcome).toEqual({ done: "renewed" });
    expect(read().claudeAiOauth).toMatchObject({ accessToken: "access-1", refreshToken: "refresh-0" });
  });

  test.each<[OAuthAnswer, object]>([
    ["400", { failed: "the server answered 400 (invalid_grant)" }],
    ["429", { failed: "the server answered 429 (rate_limited)", retryAfterMs: 900_000 }],
    ["500", { failed: "the server answered 500" }],
    ["hang", { failed: expect.stringContaining("no answer within 0.3 s") }],
    ["not json", { failed: "its answer is no JSON object" }],
    ["no token", { failed: "its answer has no access token" }],
  ])("%s is a failure that changes nothing", async (answer, outcome) => {
    const result = await once(answer);
    expect(result.outcome).toEqual(outcome);
    expect(result.read()).toEqual(login(now + 60_000));
  });

  const fixed =
    (renewal: Renewal, before = () => {}) =>
    async () => {
      before();
      return renewal;
    };
  const ok: Renewal = { ok: true, accessToken: "ours", refreshToken: "rotated", expiresInMs: HOUR * 8 };
  const still = { ...systemClock, now: () => now };

  test("what the agent renewed meanwhile stays", async () => {
    const { file, log, read } = scene();
    const theirs = login(now + 8 * HOUR, { accessToken: "theirs", refreshToken: "theirs" });
    const renewing = fixed(ok, () => writeFileSync(file, JSON.stringify(theirs)));
    const options = { file, clock: still, log, renew: renewing, onAttempt: () => {} };
    expect(await refreshOnce(options, new AbortController().signal)).toEqual({ done: "fresh" });
    expect(read()).toEqual(theirs);
  });

  test("what else the agent wrote into the file meanwhile stays too", async () => {
    const { file, log, read } = scene();
    const added = { ...login(now + 60_000), added: { by: "agent" } };
    const renewing = fixed(ok, () => writeFileSync(file, JSON.stringify(added)));
    const options = { file, clock: still, log, renew: renewing, onAttempt: () => {} };
    expect(await refreshOnce(options, new AbortController().signal)).toEqual({ done: "renewed" });
    expect(read()).toMatchObject({ added: { by: "agent" }, claudeAiOauth: { accessToken: "ours" } });
  });

  test("two at the same time: one asks, the other sees that it is done", async () => {
    const { file, log } = scene();
    const server = await fakeOAuth("rotated");
    const options = {
      file,
      clock: still,
      log,
      renew: (token: string) => renew(server.url, token),
      onAttempt: () => {},
    };
    const both = await Promise.all([1, 2].map(() => refreshOnce(options, new AbortController().signal)));
    expect(both).toEqual(expect.arrayContaining([{ done: "renewed" }, { done: "fresh" }]));
    expect(server.asked).toHaveLength(1);
  });

  test("the lock of a container that is gone is no obstacle", async () => {
    const { file, log } = scene();
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: 1, start: "1", boot: "other", namespace: "pid:[1]" }));
    const old = new Date(now - 600_000);
    utimesSync(`${file}.lock`, old, old);
    const options = { file, clock: still, log, renew: fixed(ok), onAttempt: () => {} };
    expect(await refreshOnce(options, new AbortController().signal)).toEqual({ done: "renewed" });
  });
});

describe("the loop", () => {
  async function loop(script: (n: number) => Renewal, expiresAt = now + 60_000) {
    const made = scene(expiresAt);
    const clock = new FakeClock();
    const { sleep } = clock;
    let sleeps = 0;
    clock.sleep = (ms, signal) => {
      sleeps += 1;
      return sleep(ms, signal);
    };
    const stop = new AbortController();
    const attempts: number[] = [];
    let asked = 0;
    const renewing = async () => script(++asked);
    const over = keepFresh({ ...made, clock, renew: renewing, onAttempt: (n) => attempts.push(n) }, stop.signal);
    /** Moves the time, and waits until the loop sleeps again, if that woke it. */
    const pass = async (minutes: number, wakes = true) => {
      const before = sleeps;
      clock.advance(minutes * 60_000);
      if (wakes) await until(() => sleeps > before);
    };
    await until(() => sleeps > 0);
    return { ...made, attempts, asked: () => asked, pass, end: () => (stop.abort(), over) };
  }
  const failed: Renewal = { ok: false, why: "no" };
  const renewed: Renewal = { ok: true, accessToken: "a", expiresInMs: 8 * HOUR };

  test("checks at once, and then every five minutes", async () => {
    const { asked, pass, read, end } = await loop(() => renewed);
    expect(asked()).toBe(1); // the original's first check came after five and a half minutes
    for (let at = 0; at < 420; at += 5) await pass(5); // seven of the eight hours
    expect(asked()).toBe(2);
    expect(read().claudeAiOauth.expiresAt).toBeGreaterThan(now + 14 * HOUR);
    await end();
  });

  test("five failures in a row need a person; a success takes it back", async () => {
    const { attempts, pass, lines, end } = await loop((n) => (n <= 5 ? failed : renewed));
    for (let n = 1; n < 5; n += 1) await pass(5);
    expect(attempts).toEqual([1, 2, 3, 4, 5]);
    expect(lines.filter(({ level }) => level === "error")).toHaveLength(1);
    await pass(5);
    expect(attempts.at(-1)).toBe(0);
    await end();
  });

  test("a server that says when to come back is obeyed", async () => {
    const { asked, pass, end } = await loop(() => ({ ok: false, why: "429", retryAfterMs: 900_000 }));
    await pass(5, false);
    await pass(5, false);
    expect(asked()).toBe(1);
    await pass(5);
    expect(asked()).toBe(2);
    await end();
  });

  test("a damaged file ends nothing", async () => {
    const { file, pass, end, asked } = await loop(() => renewed, now + 2 * HOUR);
    writeFileSync(file, "{ half");
    await pass(65);
    expect(asked()).toBe(0);
    await end();
  });
});
