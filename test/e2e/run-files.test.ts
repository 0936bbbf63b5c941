import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Scene, scene } from "../support/cox.ts";

/** A model's API that refuses everybody. */
async function refusing(): Promise<string> {
  const server = createServer((_, response) => response.writeHead(401).end('{"error":{"message":"who are you?"}}'));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function filesOf(made: Scene) {
  const [run] = made.runs();
  const info = run?.info;
  if (info === undefined) throw new Error("no run");
  const named = [info.prompt_path, info.output_path, info.stdout_path, info.stderr_path];
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
  return {
    status: info.status,
    stdout: readFileSync(info.stdout_path, "utf8"),
    stderr: readFileSync(info.stderr_path, "utf8"),
  };
}

test("a run of a model's API that failed has its files, and says on stderr why", async () => {
  const made = scene();
  const env = { XAI_API_KEY: "xai-secret", XAI_BASE_URL: await refusing() };
  expect((await made.cox(["run", "--agent", "xai", "hello"], { env })).code).not.toBe(0);
  expect(filesOf(made)).toEqual({ status: "failed", stdout: "", stderr: expect.stringContaining("who are you?") });
});

test("so has one whose program ends without a word", async () => {
  const made = scene();
  await made.cox(["run", "--agent", "demo", "@crash 3"]);
  expect(filesOf(made)).toMatchObject({ status: "failed" });
});
