import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EventOf } from "../../../contract/events.ts";
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
  pendingId: "q0",
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
      `demo in /work, run ${early.id}, waiting 30m`,
      `? question ${early.id}/q0`,
      "  Colour?",
      "    1 [ ] Red",
      "    2 [ ] Blue",
      `  answer: cox answer ${early.id}/q0 1|2`,
      `          cox answer ${early.id}/q0 --decline`,
      "",
      `demo in /work, run ${late.id}, waiting 1m`,
      `? permission ${late.id}/p0`,
      "  Run ls",
      "  $ ls",
      "  in /work",
      `  answer: cox answer ${late.id}/p0 allow|always|deny`,
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
    expect(record).toMatchObject({ request: `${run.id}/p0`, run_id: run.id, agent: "demo", permissionTitle: "Run ls" });
  });

  test("a lost run waits for nobody", async () => {
    home.addLostRun([opened, begin, permission("p0")]);
    expect(await cox(inbox)).toMatchObject({ out: "", err: "nobody waits for you\n" });
  });
});

describe("answer", () => {
  test.each([
    [["latest/p0", "allow"], { optionId: "y" }],
    [["p0", "deny", "--reason", "not now"], { optionId: "n", reason: "not now" }],
    [["latest/p", "yes"], { optionId: "y" }],
  ])("%j", async (args, expected) => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    const { out } = await cox(answer, ...args);
    expect(run.commands).toEqual([{ type: "answer", pendingId: "p0", answer: expected, by: BY }]);
    expect(out).toBe(`answered p0 of run ${run.id}: Run ls\n`);
  });

  test.each([
    [["q0", "red,2"], { answers: { a: ["r", "b"] } }],
    [["q0", "--decline", "--reason", "busy"], { decline: true, reason: "busy" }],
  ])("a question: %j", async (args, expected) => {
    const run = await home.addLiveRun([opened, begin, question]);
    await cox(answer, ...args);
    expect(run.commands).toMatchObject([{ answer: expected }]);
  });

  test("an agent may not answer its own request", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    const inside = coxWith({ env: { COX_RUN_ID: run.id } }, answer, "p0", "allow");
    await expect(inside).rejects.toThrow(`refused inside run ${run.id}`);
    expect(run.commands).toEqual([]);
  });

  test("answered before: by whom and when", async () => {
    const run = await home.addLiveRun([opened, begin, permission("p0"), resolved("p0")]);
    await expect(cox(answer, `${run.id}/p0`, "allow")).rejects.toMatchObject({
      code: "request.resolved",
      message: `request ${run.id}/p0: already allowed by tom@box at 2026-08-01T11:00:00.000Z`,
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
      /request p0: without its run it could be another one; say which: .*0001\/p0 or .*0002\/p0/,
    );
    await cox(answer, `${second.id.slice(-4)}/p0`, "allow");
    expect(second.commands).toHaveLength(1);
  });

  test("so does every id while more than one is open", async () => {
    const first = await home.addLiveRun([opened, begin, permission("p0"), permission("p1")]);
    await expect(cox(answer, "p1", "allow")).rejects.toMatchObject({
      code: "run.ambiguous",
      message: expect.stringContaining(`say which: ${first.id}/p0 or ${first.id}/p1`),
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
    else await expect(answered).rejects.toThrow(`say which: ${run.id}/p0`);
    expect(run.commands).toHaveLength(taken ? 1 : 0);
  });

  test.each([
    [["p9", "allow"], "request p9: not open in any run"],
    [["p", "allow"], "request p: not open in any run"],
    [["latest/p9", "allow"], "/p9: not open; `cox inbox` lists what is open"],
    [["p0", "perhaps"], 'no answer "perhaps"'],
    [["p0"], "which request, and what answer?"],
    [["p0", "allow", "--decline"], "which request, and what answer?"],
  ])("%j is refused", async (args, message) => {
    const run = await home.addLiveRun([opened, begin, permission("p0")]);
    await expect(cox(answer, ...args)).rejects.toThrow(message);
    expect(run.commands).toEqual([]);
  });
});
