import { randomUUID } from "node:crypto";

/** Values for the names in braces: things that exist, where a test has them. */
export type Samples = Readonly<Record<string, string>>;

/** `/runs/{run}/files/{file}` → a path of something that exists, or could. */
export function samplePath(path: string, samples: Samples): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(samples[name] ?? FALLBACK[name] ?? randomUUID()),
  );
}

const FALLBACK: Samples = {
  run: "20260101-0000000000-0000001-0001",
  file: "output.md",
  sha256: "0".repeat(64),
  project: "p",
  task: "t",
  agent: "demo",
  profile: "none",
  channel: "desktop",
  pending: "x",
  option: "model",
};
