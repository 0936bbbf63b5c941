import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { AgentPlan } from "./plan.ts";
import { prepare } from "./prepare.ts";

const bare: AgentPlan = { program: "x", args: [], env: {}, files: [], sections: [], copies: [], stopSignal: "SIGTERM" };

function home() {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  return {
    at,
    read: (name: string) => readFileSync(at(name), "utf8"),
    prepare: (plan: Partial<AgentPlan>) => prepare({ ...bare, ...plan }, at("own")),
  };
}

test("files are private, and those of the Task before are gone", () => {
  const { at, prepare: put } = home();
  put({ files: [{ path: at("a/secret.json"), content: "1" }] });
  expect(statSync(at("a/secret.json")).mode & 0o777).toBe(0o600);
  put({ files: [{ path: at("b.json"), content: "2" }] });
  expect(existsSync(at("a"))).toBe(false);
  expect(existsSync(at("b.json"))).toBe(true);
});

test("what is mounted as links is copied as files", () => {
  const { at, read, prepare: put } = home();
  mkdirSync(at("mount/..data"), { recursive: true });
  writeFileSync(at("mount/..data/SKILL.md"), "skill");
  symlinkSync("..data/SKILL.md", at("mount/SKILL.md"));
  put({ copies: [{ from: at("mount/SKILL.md"), to: at("skills/x/SKILL.md") }] });
  expect(read("skills/x/SKILL.md")).toBe("skill");
});

test("settings go over the image's own, and a second Task begins with these again", () => {
  const { at, read, prepare: put } = home();
  writeFileSync(at("settings.json"), '{"theme":"dark","mcpServers":{"image":{"command":"i"}},"list":[1]}');
  const settings = (values: object) => put({ settings: [{ path: at("settings.json"), values }] });
  settings({ mcpServers: { first: { command: "f" } }, list: [2] });
  expect(JSON.parse(read("settings.json"))).toEqual({
    theme: "dark",
    mcpServers: { image: { command: "i" }, first: { command: "f" } },
    list: [2],
  });
  settings({ mcpServers: { second: { command: "s" } } });
  expect(JSON.parse(read("settings.json"))).toEqual({
    theme: "dark",
    mcpServers: { image: { command: "i" }, second: { command: "s" } },
    list: [1],
  });
});

test("settings that are no JSON are not thrown away in silence", () => {
  const { at, prepare: put } = home();
  writeFileSync(at("settings.json"), "{ // mine");
  expect(() => put({ settings: [{ path: at("settings.json"), values: {} }] })).toThrow(/settings\.json: is not JSON/);
});
