import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { AgentEvent } from "../../contract/events.ts";
import { startLocal } from "../executors/local.ts";
import type { OpenOptions, Protocol } from "./protocol.ts";

const root = join(import.meta.dirname, "../../..");

/** An agent of the example's kind. */
const AGENT = `
process.stdin.on("data", (line) => {
  const { ask } = JSON.parse(line);
  console.log(JSON.stringify({ say: "you asked: " + ask }));
  console.log(JSON.stringify({ done: true }));
});`;

test("the worked example in docs/internals/protocols.md compiles and works", { timeout: 60_000 }, async () => {
  const page = readFileSync(join(root, "docs/internals/protocols.md"), "utf8");
  const code = /```ts\n(.*?)```/s.exec(page)?.[1] ?? "";
  const folder = join(import.meta.dirname, `worked-example-${process.pid}`);
  mkdirSync(folder);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "example.ts");
  writeFileSync(file, code);
  const config = join(folder, "tsconfig.json");
  writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.json"), include: [file], exclude: [] }));
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", config], { encoding: "utf8" });

  const { lines }: { lines: Protocol } = await import(file);
  const place = temporaryFolder();
  const launch = () =>
    startLocal({
      file: process.execPath,
      args: ["-e", AGENT],
      cwd: place,
      env: { PATH: process.env.PATH ?? "" },
      stdoutPath: join(place, "out"),
      stderrPath: join(place, "err"),
      marker: { name: "COX_RUN_ID", value: `example-${process.pid}` },
    });
  const session = await lines.open(launch, {} as OpenOptions, new AbortController().signal);
  await session.send({ type: "prompt", promptId: "1", content: [{ type: "text", text: "hi" }], delivery: "queue" });
  const events: AgentEvent[] = [];
  for await (const event of session.events) {
    events.push(event);
    if (event.type === "complete") break;
  }
  await session.close("done");
  expect(events.map(({ type }) => type)).toEqual(["session_status", "turn_started", "message_chunk", "complete"]);
  expect(events[2]).toMatchObject({ text: "you asked: hi" });
});
