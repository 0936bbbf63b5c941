import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openLogReader } from "../../src/core/protocols/log-reader.ts";
import type { Comparison } from "../measure/figure.ts";
import { root } from "../scenes/scene.ts";

const prefixes: Record<string, RegExp> = {
  acp: /^acp-/,
  "claude-code": /^claude-/,
  codex: /^codex-appserver/,
  "codex-exec": /^codex-exec/,
  gemini: /^gemini-(?!acp|json)/,
  opencode: /^opencode-run/,
};
const LINES = 20_000;

/** Each translator on its own recordings, against parsing the same lines. */
export function translators(): Comparison[] {
  return Object.entries(prefixes).map(([protocol, pattern]) => {
    const once = recorded(pattern);
    const lines = Array.from({ length: Math.ceil(LINES / once.length) }, () => once).flat();
    return {
      name: `translate: ${protocol}, of JSON.parse`,
      figure: "rate",
      must: 0.5,
      aim: 0.7,
      baseline: () => cpu(() => lines.forEach((text) => JSON.parse(text))),
      async subject() {
        const reader = await openLogReader(protocol);
        const messages = lines.map((text) => JSON.parse(text) as object);
        // That they all wait in memory is our doing, so moving them there is no work of the translator's: twice survived, a
        // thing is moved no more.
        for (let i = 0; i < 2; i += 1) globalThis.gc?.({ type: "minor" });
        return cpu(() => messages.forEach((message) => reader.translate(message)));
      },
    };
  });
}

function cpu(work: () => void): number {
  const begin = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begin);
  return user + system;
}

function recorded(pattern: RegExp): string[] {
  const folder = join(root, "test/transcripts");
  return readdirSync(folder)
    .filter((name) => pattern.test(name) && !name.includes("-fail-")) // a stream of nothing but errors is nobody's hot path
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter((line) => line.includes('"dir":"out"'))
    .map((line) => (JSON.parse(line) as { msg: unknown }).msg)
    .filter((message) => typeof message === "object" && message !== null)
    .map((message) => JSON.stringify(message));
}
