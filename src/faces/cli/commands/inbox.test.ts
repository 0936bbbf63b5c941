import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EventOf } from "../../../contract/events.ts";
import { person } from "../../../core/runs/run-access.ts";
import { type CommandSpec, runCommand } from "../../../lib/command/command.ts";
import { testContext } from "../testing/test-context.ts";
import { begin, end, opened, permission, resolved } from "../testing/test-events.ts";
import { TestHome } from "../testing/test-home.ts";
import answer from "./answer.ts";
import inbox from "./inbox.ts";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

async function cox(spec: CommandSpec, ...args: string[]) {
  return coxWith({}, spec, ...args);
}

async function coxWith(options: { env?: NodeJS.ProcessEnv; stdin?: string }, spec: CommandSpec, ...args: string[]) {
  const context = testContext({ ...options, env: { ...home.env, ...options.env } });
  const code = await runCommand(spec, args, context);
  return { code, out: context.out(), err: context.err() };
}

const question: EventOf<"question_request"> = {
  type: "question_request",
  pendingId: "p0",
  questions: [
    {
      id: "a",
      text: "Colour?",
      answer: "choices",
      choices: [
        { value: "r", label: "Red" },
        { value: "b", label: "Blue" },
      ],
    },
  ],
};
const BY = expect.stringMatching(/.+@.+ terminal/);

describe("inbox", () => {
  test("what is open in all live runs, the longest waiting first", async () => {
    const late = await home.addLiveRun([opened, begin]);
    late.say([permission("p0"), permission("p1"), resolved("p1")], "2026-08-01T11:59:00.000Z");
    const early = await home.addLiveRun([opened, begin]);
    early.say([question], "2026-08-01T11:30:00.000Z");
    home.addRun([opened, begin, permission("old"), end]);
    await home.addLiveRun([opened, begin, permission("of an ended turn"), end]);
    const { out } = await cox(inbox);
    expect(out.split("\n")).toEqual([
      `demo in /work, run ${early.name}, waiting 30m`,
      `? question ${early.name}.p0`,
      "  Colour?",
      "    1 [ ] Red",
      "    2 [ ] Blue",
      `  answer: cox answer ${early.name}.p0 1|2`,
      `          cox answer ${early.name}.p0 --decline`,
      "",
      `demo in /work, run ${late.name}, waiting 1m`,
      `? permission ${late.name}.p0`,
      "  Run ls",
      "  $ ls",
      "  in /work",
      `  answer: cox answer ${late.name}.p0 allow|always|deny`,
      "",
    ]);
  });

  test("what is long shows its end, says what is left out, and with --all everything", async () => {
    const command = `${Array.from({ length: 50 }, (_, i) => `echo ${i}`).join("\n")}\nrm -rf /`;
    await home.addLiveRun([opened, begin, permission("p0", command)]);
    const { out } = await cox(inbox);
    expect(out).toContain("… 39 lines are not shown …");
    expect(out).toContain("    rm -rf /\n");
    expect(out).toContain("all of it: cox inbox --all");
    const { out: all } = await cox(inbox, "--all");
    expect(all.match(/^ {4}echo \d+$/gm)).toHaveLength(49);
    expect(all).not.toContain("not shown");
  });

  test("--json", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    const record = JSON.parse((await cox(inbox, "--json")).out);
    expect(record).toMatchObject({
      request: `${run.name}.p0`,
      handle: 1,
      run_id: run.id,
      agent: "demo",
      permissionTitle: "Run ls",
    });
  });

  test("a lost run waits for nobody", async () => {
    home.addLostRun([opened, begin, permission("p0")]);
    expect(await cox(inbox)).toMatchObject({ out: "", err: "nobody waits for you\n" });
  });
});

describe("answer", () => {
  test.each([
    [["latest.p0", "allow"], { optionId: "y" }],
    [["p0", "deny", "--reason", "not now"], { optionId: "n", reason: "not now" }],
    [["r1.p0", "yes"], { optionId: "y" }],
    [["task.p0", "yes"], { optionId: "y" }],
    [["allow"], { optionId: "y" }],
    [["deny", "--reason", "not now"], { optionId: "n", reason: "not now" }],
  ])("%j", async (args, expected) => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    const { out } = await cox(answer, ...args);
    expect(run.commands).toEqual([{ type: "answer", pendingId: "p0", answer: expected, by: BY }]);
    expect(out).toBe(`${args.includes("deny") ? "denied" : "allowed"} r1.p0: Run ls\n`);
  });

  test.each([
    [["p0", "red,2"], { answers: { a: ["r", "b"] } }],
    [["p0", "--decline", "--reason", "busy"], { decline: true, reason: "busy" }],
  ])("a question: %j", async (args, expected) => {
    const run = await home.addLiveRun([opened, begin, question]);
    await cox(answer, ...args);
    expect(run.commands).toMatchObject([{ answer: expected }]);
  });

  test("a reason that the agent can't be told is said to be none for it", async () => {
    await home.addLiveRun([opened, begin, { ...permission("p0"), takesReason: false }], { handle: 7 });
    const { out } = await cox(answer, "p0", "deny", "--reason", "use npm");
    expect(out).toBe("denied r7.p0: Run ls\ndemo can't be told why; the reason is in the run's record\n");
  });

  test("an agent may not answer its own request", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    const inside = coxWith({ env: { COX_RUN_ID: run.id } }, answer, "p0", "allow");
    await expect(inside).rejects.toThrow(`refused inside run ${run.id}`);
    expect(run.commands).toEqual([]);
  });

  test("answered before: by whom and when", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0"), resolved("p0")]);
    await expect(cox(answer, `${run.id}.p0`, "allow")).rejects.toMatchObject({
      code: "request.resolved",
      message: `request ${run.name}.p0: already allowed by tom@box at 2026-08-01T11:00:00.000Z`,
    });
  });

  test("what the host refuses is passed on", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    run.react = () => ({ id: 1, error: { code: "request.resolved", message: "already answered by web at noon" } });
    await expect(cox(answer, "p0", "allow")).rejects.toMatchObject({
      code: "request.resolved",
      message: "already answered by web at noon",
    });
  });

  test("the same id in two runs needs the run", async () => {
    await home.addLiveRun([opened, begin, permission("p0")]);
    const second = await home.addLiveRun([opened, begin, permission("p0")]);
    await expect(cox(answer, "p0", "allow")).rejects.toThrow(
      /request p0: without its run it could be another one; say which: r1\.p0 or r2\.p0/,
    );
    await cox(answer, `${second.id.slice(-4)}.p0`, "allow");
    expect(second.commands).toHaveLength(1);
  });

  test("so does every id while more than one is open", async () => {
    const first = await home.addLiveRun([opened, begin, permission("p0"), permission("p1")]);
    await expect(cox(answer, "p1", "allow")).rejects.toMatchObject({
      code: "run.ambiguous",
      message: expect.stringContaining(`say which: r1.p0 or r1.p1`),
    });
    expect(first.commands).toEqual([]);
  });

  /** The clock stands at noon. */
  test.each([
    ["a minute ago", "2026-08-01T11:59:00.000Z", "live", false],
    ["a minute ago", "2026-08-01T11:59:00.000Z", "ended", false],
    ["an hour ago", "2026-08-01T11:00:00.000Z", "live", true],
    ["an hour ago", "2026-08-01T11:00:00.000Z", "ended", true],
  ])("the id that another run's request had %s (%s, %s): taken is %s", async (_, at, other, taken) => {
    const seen = await home.addLiveRun([opened, begin]);
    seen.say([permission("p0"), resolved("p0")], at);
    if (other === "ended") seen.end({ end_time: at });
    const run = await home.addLiveRun([opened, begin, permission("p0", "rm -rf /")]);
    const answered = cox(answer, "p0", "allow");
    if (taken) await answered;
    else await expect(answered).rejects.toThrow(`say which: r2.p0`);
    expect(run.commands).toHaveLength(taken ? 1 : 0);
  });

  /** The clock stands at noon. */
  test.each([
    ["by somebody else", "tom@box terminal", "2026-08-01T11:59:00.000Z", false],
    ["by somebody else, long ago", "tom@box terminal", "2026-08-01T11:30:00.000Z", true],
    ["by oneself, at a terminal", `${person()} terminal`, "2026-08-01T11:59:00.000Z", true],
    ["by oneself, in the browser", `${person()} browser`, "2026-08-01T11:59:00.000Z", true],
  ])("an answer alone, after another one was answered %s (%s, %s): taken is %s", async (_, who, at, taken) => {
    const run = await home.addLiveRun([opened, begin]);
    run.say([permission("p0"), resolved("p0", who)], at);
    run.say([permission("p1", "rm -rf /")], "2026-08-01T11:59:30.000Z");
    const answered = cox(answer, "allow");
    if (taken) await answered;
    else await expect(answered).rejects.toThrow("r1.p1 is open, but another one was, a moment ago");
    expect(run.commands).toHaveLength(taken ? 1 : 0);
  });

  test("an answer alone is for what one can have read, and for no one of several", async () => {
    const run = await home.addLiveRun([opened, begin]);
    run.say([permission("p0")], "2026-08-01T11:59:59.500Z");
    await expect(cox(answer, "allow")).rejects.toThrow(
      "r1.p0 was asked only just now; if you mean it: cox answer r1.p0 …",
    );
    run.say([permission("p1")], "2026-08-01T11:30:00.000Z");
    await expect(cox(answer, "allow")).rejects.toThrow("cox answer: 2 wait for you; say which: r1.p1 or r1.p0");
    await cox(answer, "r1.p0", "allow");
    expect(run.commands).toHaveLength(1);
  });

  test.each([["allow"], ["deny", "--reason", "3.5"], ["v1.2"]])(
    "with nobody waiting %j is for nobody",
    async (...args) => {
      await expect(cox(answer, ...args)).rejects.toMatchObject({ code: "request.not_found" });
    },
  );

  test.each([
    [["r1", "allow"], "which request of run r1? as in `cox answer r1.p0 …`"],
    [["r9.p0", "allow"], "run r9: there is no such run"],
    [["p9", "allow"], "request p9: not open in any run"],
    [["p", "allow"], "takes one answer"],
    [["p0", "deny", "some", "words"], "takes one answer; say why with --reason; use allow"],
    [["latest.p9", "allow"], "request r1.p9: not open; `cox inbox` lists what is open"],
    [["p0", "perhaps"], 'no answer "perhaps"'],
    [["p0"], "which request, and what answer?"],
    [["p0", "allow", "--decline"], "which request, and what answer?"],
  ])("%j is refused", async (args, message) => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    await expect(cox(answer, ...args)).rejects.toThrow(message);
    expect(run.commands).toEqual([]);
  });
});
