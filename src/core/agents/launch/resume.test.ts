import { expect, test } from "vitest";
import { AgentDefinition } from "../registry/definition-schema.ts";
import { planResume, type ResumePlan } from "./resume.ts";

const agent = (session_config: object) =>
  AgentDefinition.parse({ id: "mine", name: "Mine", cmd: ["x"], session_config });

const cases: Record<string, [object, ResumePlan]> = {
  natively: [
    { native_session_resume: true, resume_flag: "--resume" },
    { by: "native", sessionId: "s1" },
  ],
  "by its flag": [{ resume_flag: "--resume" }, { by: "flag", sessionId: "s1", args: ["--resume", "s1"] }],
  "by being told": [{}, { by: "context", sessionId: "s1" }],
};

test.each(Object.entries(cases))("%s", (_, [session, plan]) => {
  expect(planResume(agent(session), { sessionId: "s1" })).toEqual(plan);
});

test("never, where the definition says so", () => {
  const never = agent({ native_session_resume: true, can_recover: false });
  expect(() => planResume(never, { sessionId: "s1" })).toThrow(expect.objectContaining({ code: "run.not_resumable" }));
});

test("a session id can't become a flag", () => {
  expect(() => planResume(agent({ resume_flag: "--resume" }), { sessionId: "--yolo" })).toThrow(/begins with "-"/);
});

test("another agent's conversation can only be told", () => {
  const native = agent({ native_session_resume: true });
  expect(planResume(native, { sessionId: "s1", otherAgent: true })).toEqual({ by: "context", sessionId: "s1" });
});
