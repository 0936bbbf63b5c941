import { expect, test } from "vitest";
import { AppError, exitCodeOf, httpStatusOf, isErrorCode, wrap } from "./errors.ts";

test("a code has one HTTP status and one exit code", () => {
  expect([httpStatusOf("run.not_found"), exitCodeOf("run.not_found")]).toEqual([404, 1]);
  expect([httpStatusOf("agent.not_installed"), exitCodeOf("agent.not_installed")]).toEqual([409, 127]);
  expect([httpStatusOf("timeout"), exitCodeOf("timeout")]).toEqual([504, 124]);
  expect(isErrorCode("run.not_found")).toBe(true);
  expect(isErrorCode("__proto__")).toBe(false);
});

test("errors read outside in, and keep the name of the innermost", () => {
  const inner = new AppError("agent.not_installed", "claude: not found on PATH", { name: "claude" });
  const outer = wrap("execute agent", wrap("start agent process", inner));
  expect(outer.message).toBe("execute agent: start agent process: claude: not found on PATH");
  expect(outer).toMatchObject({ code: "agent.not_installed", details: { name: "claude" } });
  expect(wrap("read", new Error("boom")).code).toBe("internal");
});
