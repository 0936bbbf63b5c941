import { expect, test } from "vitest";
import { recordOf } from "./record.ts";
import { blankRunInfo, type RunInfo } from "./run.ts";

/** Each field has a value that no other has. */
const info: RunInfo = {
  ...blankRunInfo,
  ...Object.fromEntries(
    Object.entries(blankRunInfo).map(([key, value], index) => [key, typeof value === "number" ? index + 100 : key]),
  ),
  status: "failed",
  reason: "timeout",
};

test("every fact of run-info.yaml is in the record under one name; why it failed is also in its end, as in lists", () => {
  const { end, ...record } = recordOf(info, "a title", "failed");
  const values = [...Object.values(record), ...Object.values(end ?? {})];
  const twice = values.filter((value, index) => values.indexOf(value) !== index);
  expect(twice).toEqual(["failed", "timeout"]);
  const { version: _, ...facts } = info;
  expect(Object.values(facts).filter((value) => !values.includes(value))).toEqual([]);
  expect(end?.tokens).toBe(info.input_tokens + info.output_tokens);
});

test("what is not there has no field, and one that runs has no end", () => {
  const started = { ...info, handle: 0, parent_run_id: "", previous_run_id: "", status: "running" as const };
  const record: unknown = JSON.parse(JSON.stringify(recordOf(started, "", "waiting")));
  expect(record).toMatchObject({ run_id: "run_id", state: "waiting" });
  for (const name of ["handle", "parent", "previous", "end"]) expect(record).not.toHaveProperty(name);
});
