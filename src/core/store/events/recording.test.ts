import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseCastEvent, parseCastHeader } from "../../../lib/text/asciicast.ts";
import { type RunPaths, runPaths } from "../runs/run-directory.ts";
import { ensureOutput } from "./output.ts";
import { Recording } from "./recording.ts";

function folder(): RunPaths {
  const dir = mkdtempSync(join(tmpdir(), "cox-recording-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return runPaths(dir);
}

const header = { width: 80, height: 24, timestamp: 1700000000 };

function record(paths: RunPaths, chunks: readonly Buffer[]): void {
  const recording = new Recording(paths, header);
  chunks.forEach((chunk, i) => recording.output(i / 10, chunk));
  recording.close(chunks.length / 10);
}

test("the bytes are kept exactly, also those that are no text and characters in pieces", () => {
  const paths = folder();
  const bytes = Buffer.from("a€😀\x1b[31m\r\n").toString("latin1") + "\xff\xfe\x00";
  const all = Buffer.from(bytes, "latin1");
  record(
    paths,
    Array.from(all, (byte) => Buffer.from([byte])),
  );
  expect(readFileSync(paths.stdout).equals(all)).toBe(true);
  const [first = "", ...lines] = readFileSync(paths.cast, "utf8").trimEnd().split("\n");
  expect(parseCastHeader(first)).toMatchObject(header);
  const said = lines.map((line) => {
    const event = parseCastEvent(line);
    return event?.type === "output" ? event.text : "";
  });
  expect(said.join("")).toBe("a€😀\x1b[31m\r\n\ufffd\ufffd\x00");
});

test("sizes are recorded between what was printed", () => {
  const paths = folder();
  const recording = new Recording(paths, header);
  recording.output(0.5, Buffer.from("x"));
  recording.resize(1, 100, 30);
  recording.close(2);
  expect(readFileSync(paths.cast, "utf8").split("\n").slice(1)).toEqual(['[0.5,"o","x"]', '[1,"r","100x30"]', ""]);
});

test("output.md is what one would read of it, unless the program left one", () => {
  const paths = folder();
  record(paths, [Buffer.from("\x1b[1mone\x1b[0m\r\n10 %\r100 %\r\n")]);
  ensureOutput(paths, "");
  expect(readFileSync(paths.output, "utf8")).toBe("one\n100 %\n");
  writeFileSync(paths.output, "its own");
  ensureOutput(paths, "");
  expect(readFileSync(paths.output, "utf8")).toBe("its own");
});

test("without a recording the copy is exact", () => {
  const paths = folder();
  writeFileSync(paths.stdout, "\x1b[1mone\r\n");
  ensureOutput(paths, "");
  expect(readFileSync(paths.output, "utf8")).toBe("\x1b[1mone\r\n");
});
