import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { blankRunInfo } from "../../contract/runs/run.ts";
import { systemClock } from "../../lib/base/clock.ts";
import { ourselves } from "../../lib/process/holders/holder.ts";
import { openHome, socketPath } from "../store/home.ts";
import { createRunDirectory } from "../store/runs/run-directory.ts";
import { writeRunInfo } from "../store/runs/run-info.ts";
import { tellTask } from "./start.ts";

test("a run that has just begun, and has no socket yet, is told when it has", async () => {
  const home = openHome(temporaryFolder());
  const ref = { project: "p", task: "t" };
  const { runId, paths } = createRunDirectory(home, ref, ourselves());
  writeRunInfo(paths.info, { ...blankRunInfo, run_id: runId, project_id: "p", task_id: "t", agent: "demo" });
  const never = () => Promise.reject(new Error("somebody is at it: no other run is started"));
  const told = tellTask(home, ref, "not so", { by: "ann", clock: systemClock }, never);
  await systemClock.sleep(120);
  let heard = "";
  const host = createServer((socket) => {
    socket.on("data", (chunk) => {
      heard += String(chunk);
      socket.end('{"id":1,"ok":true}\n');
    });
  });
  onTestFinished(() => void host.close());
  const path = socketPath(home, runId);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  host.listen(path);
  expect(await told).toBe(runId);
  expect(JSON.parse(heard)).toMatchObject({ command: { type: "prompt", content: [{ text: "not so" }], by: "ann" } });
});
