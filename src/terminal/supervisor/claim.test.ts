import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { bootId, pidNamespace, startTimeOf } from "../../lib/process/holders/identity.ts";
import { claimState } from "./claim.ts";
import { testPlace } from "./test-place.ts";

const { log } = testPlace();

test("one supervisor per state folder", async () => {
  const state = temporaryFolder();
  const claim = await claimState(state, log);
  await expect(claimState(state, log)).rejects.toMatchObject({ code: "workspace.busy" });
  claim.release();
  (await claimState(state, log)).release();
});

test("what a killed one left running is ended", async () => {
  const state = temporaryFolder();
  const left = spawn("sleep", ["600"], { env: { COXSWAIN_SUPERVISOR: "the-mark" }, stdio: "ignore" });
  const ended = new Promise((resolve) => left.on("exit", (_, signal) => resolve(signal)));
  const record = { pid: 2 ** 22 + 1, start: "1", boot: bootId(), namespace: pidNamespace(), marker: "the-mark" };
  writeFileSync(join(state, "supervisor.json"), JSON.stringify(record));
  const claim = await claimState(state, log);
  expect(await ended).toBe("SIGTERM");
  expect(JSON.parse(readFileSync(join(state, "supervisor.json"), "utf8")).pid).toBe(process.pid);
  claim.release();
});

test.each([
  [
    "of another container",
    { pid: process.pid, start: startTimeOf(process.pid), boot: bootId(), namespace: "pid:[1]", marker: "m" },
  ],
  [
    "of another boot",
    { pid: process.pid, start: startTimeOf(process.pid), boot: "b", namespace: pidNamespace(), marker: "m" },
  ],
  ["half written", "{"],
])("a record %s is no obstacle", async (_, record) => {
  const state = temporaryFolder();
  writeFileSync(join(state, "supervisor.json"), typeof record === "string" ? record : JSON.stringify(record));
  (await claimState(state, log)).release();
});
