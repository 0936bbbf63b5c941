import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { startTimeOf } from "../../src/lib/process/holders/identity.ts";
import { type Scene, scene, until } from "../support/cox.ts";
import { startTerminal } from "../support/terminal-host.ts";

const start = (place: Scene, script: string, flags: readonly string[] = []) =>
  startTerminal({
    cwd: place.workspace,
    env: place.env,
    flags: ["--port", "0", ...flags],
    command: ["sh", "-c", script],
  });

/** What a program writes right before it exits, over and over, on a busy machine. */
test("200 of 200 programs are heard to their last byte", async () => {
  const place = scene();
  let whole = 0;
  const one = async (run: number) => {
    const lines = 50 + ((run * 37) % 400);
    const host = await start(
      place,
      `i=0; while [ $i -lt ${lines} ]; do echo "line $i of run ${run}"; i=$((i+1)); done; printf 'END ${run}'`,
    );
    await host.agent(({ state }) => state === "exited");
    const { json } = await host.get("/api/v1/output?offset=0");
    const text = Buffer.from(json.data, "base64").toString();
    if (text.endsWith(`END ${run}`) && text.split("\r\n").length === lines + 1) whole += 1;
    await host.stop();
  };
  for (let run = 0; run < 200; run += 4) await Promise.all([0, 1, 2, 3].map((more) => one(run + more)));
  expect(whole).toBe(200);
});

test("a killed host takes its program along", async () => {
  const host = await start(scene(), "echo up; while :; do sleep 0.1; done");
  await host.shows(/up/);
  const { json } = await host.get("/api/v1/health");
  host.child.kill("SIGKILL");
  await host.ended;
  await until(() => startTimeOf(json.pid) === undefined);
});

test("a flood of colours, with nobody reading and with somebody, stays within its memory", async () => {
  const place = scene();
  const host = await start(
    place,
    "yes $(printf '\\033[31mred\\033[0m \\033[38;5;200mpink\\033[0m %s' $(seq 10)) | head -c 60000000; printf THE-END; exec cat",
  );
  const slow = await host.ws("subscribe=pty").open();
  slow.ws.pause();
  onTestFinished(() => slow.ws.terminate());
  await host.shows(/THE-END/);
  const peak = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${host.child.pid}/status`, "utf8"))?.[1]);
  expect(peak).toBeLessThan(250 * 1024);
});
