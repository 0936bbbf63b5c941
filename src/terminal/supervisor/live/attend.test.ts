import { describe, expect, test } from "vitest";
import { TestClock } from "../../../faces/cli/testing/test-context.ts";
import type { AgentView } from "../host/terminal-api.ts";
import { Status } from "../status/status.ts";
import { testPlace } from "../test-place.ts";
import { attend } from "./attend.ts";

const MINUTE = 60_000;

interface Script {
  /** What the agent's host says after this many milliseconds; `undefined` when it doesn't answer. */
  view(ms: number): AgentView | undefined;
  screen?(ms: number): string;
  nudge?: string;
  /** Failures to renew the login. */
  failures?: number;
  signedInAfter?: number;
  stopRequested?(ms: number): boolean;
  forMs: number;
}

/** Plays a life in no time, and returns what was done when. */
async function play(script: Script) {
  const clock = new TestClock();
  const begun = clock.now();
  const ms = () => clock.now() - begun;
  const over = new AbortController();
  const did: [ms: number, what: string][] = [];
  const act = (what: string) => void did.push([Math.round(ms() / 1000) * 1000, what]);
  const status = new Status({ role: "r", agent: "a", project: "p", maxRestarts: 10, hasHub: false }, clock.now);
  for (let n = 1; n <= (script.failures ?? 0); n += 1) status.refreshed(n);
  const phases = new Set<string>();
  const { log } = testPlace();
  const attended = await attend(
    {
      api: {
        async agent() {
          phases.add(status.phase.phase);
          if (ms() > script.forMs) over.abort();
          const view = script.view(ms());
          if (view === undefined) throw new Error("nobody there");
          return view;
        },
        screen: async () => script.screen?.(ms()) ?? "",
        keys: async (keys) => act(keys.join(" ")),
        nudge: async (text) => {
          act(`nudge ${text}`);
          return { delivered: true, reason: "" };
        },
        async shutdown() {
          act("shutdown");
          over.abort();
        },
      },
      clock,
      log,
      status,
      nudge: script.nudge ?? "",
      exit: {
        stopRequest: { isHere: () => false, isMade: async () => script.stopRequested?.(ms()) ?? false },
        loginVersion: () => String(ms() >= (script.signedInAfter ?? Number.POSITIVE_INFINITY)),
      },
      onSilence: () => act("silent"),
    },
    over.signal,
  );
  return { did, phases: [...phases], ...attended };
}

describe("attending an agent", () => {
  test("one that ends is let go at once", async () => {
    const { did, reached, excused } = await play({
      view: (ms) => ({ state: ms < 5000 ? "idle" : "exited" }),
      forMs: MINUTE,
    });
    expect(did).toEqual([[5000, "shutdown"]]);
    expect({ reached, excused }).toEqual({ reached: true, excused: false });
  });

  test("a limit is waited for, and its end is no failure", async () => {
    const limited = { state: "error", error_category: "rate_limited", error_detail: "retry after 600 s" };
    const { did, phases, excused } = await play({
      view: (ms) => (ms < 5000 ? { state: "idle" } : limited),
      forMs: 20 * MINUTE,
    });
    expect(did).toEqual([[605_000, "shutdown"]]);
    expect(phases).toContain("parked");
    expect(excused).toBe(true);
  });

  test("an agent that ends while it waits for a limit is started when the limit is over", async () => {
    const limited = { state: "error", error_category: "rate_limited", error_detail: "retry after 600 s" };
    const view = (ms: number) => (ms < 5000 ? limited : { state: "exited" });
    const { did, excused } = await play({ view, forMs: 20 * MINUTE });
    expect(did).toEqual([[600_000, "shutdown"]]);
    expect(excused).toBe(true);
  });

  test("somebody who makes it go on ends the waiting", async () => {
    const limited = { state: "error", error_category: "rate_limited", error_detail: "retry after 600 s" };
    const view = (ms: number) => (ms < MINUTE ? limited : { state: "working" });
    const { did, phases } = await play({ view, forMs: 20 * MINUTE });
    expect(did).toEqual([]);
    expect(phases.at(-1)).toBe("running");
  });

  test("without a login it is tried again every five minutes, not all the time", async () => {
    const { did, phases, excused } = await play({ view: () => ({ state: "exited" }), failures: 5, forMs: 20 * MINUTE });
    expect(did).toEqual([[5 * MINUTE, "shutdown"]]);
    expect(phases).toContain("reauth-needed");
    expect(excused).toBe(true);
  });

  test("and at once when somebody has signed in", async () => {
    const script = { view: () => ({ state: "exited" }), failures: 5, signedInAfter: 30_000, forMs: 20 * MINUTE };
    expect((await play(script)).did).toEqual([[30_000, "shutdown"]]);
  });

  test("asked to stop, it is let go when it is idle", async () => {
    const view = (ms: number) => ({ state: ms < 3 * MINUTE ? "working" : "idle" });
    const { did, excused } = await play({ view, stopRequested: (ms) => ms > MINUTE, forMs: 20 * MINUTE });
    expect(did).toEqual([[3 * MINUTE, "shutdown"]]);
    expect(excused).toBe(true);
  });

  test("a host that doesn't answer is given up after a minute", async () => {
    const { did } = await play({ view: (ms) => (ms < 10_000 ? { state: "idle" } : undefined), forMs: 20 * MINUTE });
    expect(did).toEqual([[expect.closeTo(70_000, -4), "silent"]]);
  });

  test("dialogs are looked at for a minute, every two seconds", async () => {
    const screen = " Security notes\n\n Press Enter to continue…";
    const { did, reached } = await play({ view: () => ({ state: "prompt" }), screen: () => screen, forMs: 5 * MINUTE });
    expect(did).toHaveLength(30);
    expect(did.every(([, what]) => what === "Enter")).toBe(true);
    expect(reached).toBe(false);
  });

  test("the nudge is given once idle", async () => {
    const view = (ms: number) => ({ state: ms < 8000 ? "starting" : ms < 10_000 ? "idle" : "working" });
    expect((await play({ view, nudge: "go", forMs: MINUTE })).did).toEqual([[8000, "nudge go"]]);
  });
});
