import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import pins from "../../../test/real-agents/package.json" with { type: "json" };
import { packageRoot } from "../../lib/files/package-root.ts";

/** A Dockerfile as instructions, with lines that go on joined. */
function instructions(image: string): { word: string; rest: string }[] {
  const text = readFileSync(join(packageRoot(), "images", image, "Dockerfile"), "utf8").replace(/\\\n/g, " ");
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return lines.map((line) => ({ word: line.split(" ", 1)[0] ?? "", rest: line.slice(line.indexOf(" ") + 1).trim() }));
}

const of = (image: string, word: string) =>
  instructions(image)
    .filter((instruction) => instruction.word === word)
    .map(({ rest }) => rest);

describe("the agent's image", () => {
  test("starts the supervisor under tini", () => {
    expect(of("agent", "ENTRYPOINT")).toEqual(['["tini", "-g", "--"]']);
    expect(of("agent", "CMD")).toEqual(['["cox", "agent", "start", "--k8s"]']);
  });

  test("isn't root at the end", () => {
    expect(of("agent", "USER").at(-1)).toBe("61100:61100");
  });

  test("has its agents at the versions that are tested", () => {
    const installed = of("agent", "RUN").flatMap((run) => [...run.matchAll(/(@[\w-]+\/[\w-]+)@(\S+)/g)]);
    expect(Object.fromEntries(installed.map(([, name, version]) => [name, version]))).toEqual({
      "@anthropic-ai/claude-code": pins.dependencies["@anthropic-ai/claude-code"],
      "@openai/codex": pins.dependencies["@openai/codex"],
      "@google/gemini-cli": pins.dependencies["@google/gemini-cli"],
    });
  });

  test.each(["agent", "base"])("%s: everything pinned, nothing fetched by name alone or from elsewhere", (image) => {
    const [from = ""] = of(image, "ARG").filter((arg) => arg.includes("_IMAGE="));
    expect(from).toMatch(/_IMAGE=[\w./-]+:\d+\.\d+\.\d+[\w.-]*$/); // a whole version, never "latest"
    expect(of(image, "FROM")).toEqual([expect.stringMatching(/^\$\{\w+_IMAGE\}$/)]);
    expect(of(image, "ADD")).toEqual([]);
    for (const run of of(image, "RUN")) {
      expect(run).not.toMatch(/\b(curl|wget)\b[^&]*https?:/);
      expect(run).not.toMatch(/@latest\b/);
    }
  });

  test("the base brings what it stands on", () => {
    expect(of("base", "ARG")[0]).toMatch(/node:24\.\d+\.\d+-bookworm/);
    expect(of("base", "RUN").join(" ")).toMatch(/\bgh git\b[^&]*\btini\b/);
    expect(of("base", "RUN").join(" ")).toMatch(/useradd --uid 61100 .* agent/);
  });
});
