import { describe, expect, test } from "vitest";
import type { BusMessage } from "../bus.ts";
import { advanceTask, movesFrom, stateAfter, taskCauses, taskStates, untouched } from "./task.ts";

/** A row per cause, a column per state: where the cause leads from there, "." nowhere, "end" as the run ended. */
const table = `
cause            todo      queued    blocked   in_progress  waiting  review  done  failed  cancelled
created          todo      .         .         .    .         .         .         .         .
enqueue          queued    .         .         .    .         queued    queued    queued    .
dequeue          .         todo      todo      .    .         .         .         .         .
block            blocked   blocked   blocked   .    .         .         .         .         .
unblock          .         .         queued    .    .         .         .         .         .
start            progress  progress  progress  .    .         progress  progress  progress  .
resume           progress  progress  progress  .    .         progress  progress  progress  .
turn_started     progress  progress  progress  .    progress  progress  progress  progress  .
request_opened   .         .         .         waiting .      .         .         .         .
request_resolved .         .         .         .    progress  .         .         .         .
complete         .         .         .         end  end       .         .         .         .
run_ended        .         .         .         end  end       todo|done .         todo         .
stop             .         .         .         todo todo      .         .         .         .
finish           done      done      done      .    .         done      .         done      .
send_back        .         .         .         .    .         todo      todo      todo      .
cancel           cancelled cancelled cancelled cancelled cancelled cancelled . cancelled .
fail             failed    failed    failed    failed failed  failed    .         .         .
skip             cancelled cancelled cancelled .    .         cancelled .         .         .
`;

describe("the table of transitions", () => {
  const [head = [], ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/));
  const full = (word: string) =>
    word === "end" ? "review|done|failed|todo" : word === "progress" ? "in_progress" : word;
  const cells = new Map(
    rows.flatMap(([cause, ...words]) => words.map((word, i) => [`${head[i + 1]} ${cause}`, full(word)])),
  );
  const pairs = taskStates.flatMap((state) =>
    taskCauses.map((cause) => [state, cause, cells.get(`${state} ${cause}`) ?? "not in the table"] as const),
  );

  test.each(pairs)("%s, %s: %s", (state, cause, expected) => {
    expect(movesFrom(state, cause).join("|") || ".").toBe(expected);
  });

  test.each(pairs)("the fold goes by it: %s, %s", (state, cause, expected) => {
    for (const to of taskStates) {
      const before = { ...untouched, state, made: true };
      const after = advanceTask(before, change(cause, to));
      if (expected.split("|").includes(to)) expect(after).toMatchObject({ state: to, cause });
      else expect(after).toBe(before);
    }
  });
});

test.each([
  ["completed", false, "done"],
  ["completed", true, "review"],
  ["failed", false, "failed"],
  ["failed", true, "review"],
  ["interrupted", false, "todo"],
  ["interrupted", true, "review"],
  ["stopped", false, "todo"],
  ["stopped", true, "todo"],
] as const)("after %s, review %s: %s", (outcome, review, expected) => {
  expect(stateAfter(outcome, review)).toBe(expected);
});

let count = 0;

function message(type: string, fields: Partial<BusMessage> = {}): BusMessage {
  count += 1;
  return {
    id: `m${count}`,
    time: `t${count}`,
    type,
    project: "p",
    task: "t",
    run: "",
    parents: [],
    links: [],
    body: "",
    cursor: "0",
    ...fields,
  };
}

const change = (cause: string, to: string, more: Record<string, unknown> = {}) =>
  message("TASK_STATE", { data: { cause, to, ...more } });
const started = (run: string, data: Record<string, unknown> = {}) =>
  message("RUN_START", { run, id: `${run}:start`, data });
const stopped = (run: string, data: Record<string, unknown> = {}) =>
  message("RUN_STOP", { run, id: `${run}:stop`, data });
const crashed = (run: string, data: Record<string, unknown> = {}) =>
  message("RUN_CRASH", { run, id: `${run}:stop`, data });

describe("the fold", () => {
  const cases: Record<string, { messages: BusMessage[]; expected: object }> = {
    "nothing was said": { messages: [], expected: { state: "todo", run: "", live: false } },
    "a run begins and completes": {
      messages: [started("r1"), change("complete", "done", { run: "r1" }), stopped("r1")],
      expected: { state: "done", run: "r1", live: false, runs: 1, cause: "complete" },
    },
    "a run that ends without the end of a turn": {
      messages: [started("r1"), crashed("r1", { reason: "host_lost", error: "gone" })],
      expected: { state: "failed", cause: "run_ended", reason: "gone", live: false },
    },
    "the same under review": {
      messages: [started("r1", { review: true }), crashed("r1", { reason: "host_lost" })],
      expected: { state: "review" },
    },
    "a run in a worktree ends in review, unless it changed nothing": {
      messages: [started("r1", { review: "changes" }), stopped("r1")],
      expected: { state: "review", cause: "run_ended" },
    },
    "one that changed nothing": {
      messages: [started("r1", { review: "changes" }), stopped("r1", { unchanged: true })],
      expected: { state: "done", cause: "run_ended" },
    },
    "a conversation that changed nothing": {
      messages: [
        started("r1", { review: "changes" }),
        change("complete", "review", { run: "r1" }),
        stopped("r1", { unchanged: true }),
      ],
      expected: { state: "done", cause: "run_ended" },
    },
    "an interrupted run that nobody made a task for": {
      messages: [started("r1"), change("complete", "todo", { run: "r1" }), crashed("r1", { reason: "stopped" })],
      expected: { state: "failed", reason: "stopped", live: false },
    },
    "the same, stopped by a person": {
      messages: [started("r1"), change("stop", "todo", { by: "ada" }), crashed("r1", { reason: "stopped" })],
      expected: { state: "failed", reason: "stopped", by: "ada" },
    },
    "stopped by a person, said before the run ended": {
      messages: [
        change("created", "todo"),
        started("r1", { review: true }),
        change("stop", "todo", { by: "ada" }),
        crashed("r1", { reason: "stopped" }),
      ],
      expected: { state: "todo", cause: "stop", by: "ada", run: "r1", live: false },
    },
    "stopped by a person, the turn's end came first": {
      messages: [
        change("created", "todo"),
        started("r1", { review: true }),
        change("complete", "review", { run: "r1" }),
        crashed("r1", { reason: "stopped" }),
      ],
      expected: { state: "todo" },
    },
    "the same without review": {
      messages: [
        change("created", "todo"),
        started("r1"),
        change("complete", "failed", { run: "r1" }),
        crashed("r1", { reason: "stopped" }),
      ],
      expected: { state: "todo", cause: "run_ended" },
    },
    "a crash after the failed turn changes nothing": {
      messages: [started("r1"), change("complete", "failed", { run: "r1" }), crashed("r1", { reason: "exit_code" })],
      expected: { state: "failed", cause: "complete" },
    },
    "cancelled for good": {
      messages: [
        started("r1"),
        change("cancel", "cancelled"),
        change("complete", "done", { run: "r1" }),
        stopped("r1"),
        started("r2"),
      ],
      expected: { state: "cancelled", run: "r2", live: true },
    },
    "a child on the same task doesn't end it": {
      messages: [
        started("r1"),
        started("r2", { parent: "r1" }),
        change("complete", "failed", { run: "r2" }),
        crashed("r2", { reason: "exit_code" }),
      ],
      expected: { state: "in_progress", run: "r1", live: true, runs: 2 },
    },
    "a later run takes the lead": {
      messages: [started("r1"), started("r2"), crashed("r1", { reason: "host_lost" }), stopped("r2")],
      expected: { state: "done", run: "r2" },
    },
    "between the attempts of a loop it stays in progress": {
      messages: [
        started("r1"),
        crashed("r1", { reason: "exit_code", more: true }),
        started("r2"),
        stopped("r2", { more: true }),
      ],
      expected: { state: "in_progress", live: false, runs: 2 },
    },
    "the loop says when it is over": {
      messages: [started("r1"), crashed("r1", { more: true }), change("complete", "failed", { run: "r1" })],
      expected: { state: "failed", cause: "complete" },
    },
    "the first of two transitions that exclude each other stands": {
      messages: [
        change("enqueue", "queued"),
        change("dequeue", "todo"),
        change("block", "blocked"),
        change("dequeue", "todo"),
      ],
      expected: { state: "todo" },
    },
    "words on the bus move nothing": {
      messages: [
        message("TASK_STATE", { body: "done" }),
        message("RUN_STOP", { run: "r1" }),
        message("RUN_START", { run: "r1" }),
      ],
      expected: { state: "todo", runs: 0 },
    },
    "an unknown state or cause moves nothing": {
      messages: [change("finish", "finished"), change("magic", "done")],
      expected: { state: "todo" },
    },
    "a resumed run": {
      messages: [change("finish", "done"), started("r1", { resumed: true })],
      expected: { state: "in_progress", cause: "resume" },
    },
    "a task without a file is named after its first run": {
      messages: [started("r1", { title: "one" }), stopped("r1"), started("r2", { title: "two" })],
      expected: { title: "one" },
    },
  };

  test.each(Object.entries(cases))("%s", (_, { messages, expected }) => {
    expect(messages.reduce(advanceTask, untouched)).toMatchObject(expected);
  });
});
