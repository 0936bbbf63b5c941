import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AgentConfigSpec } from "../../src/contract/resources/agent-config.ts";
import { API_VERSION } from "../../src/contract/resources/names.ts";
import { TaskSpec } from "../../src/contract/resources/task.ts";
import { WorkspaceSpec } from "../../src/contract/resources/workspace.ts";
import { root, scene } from "../support/cox.ts";
import { documentedManifests, pages } from "../support/kubernetes-pages.ts";

const specs = { Task: TaskSpec, Workspace: WorkspaceSpec, AgentConfig: AgentConfigSpec };

/** A real API server applies the same in the cluster suite. */
describe("the manifests of the documentation", () => {
  const manifests = documentedManifests();

  test("are found", () => {
    expect(manifests.length).toBeGreaterThanOrEqual(7);
  });

  test.each(manifests.map((manifest) => [manifest.page, manifest.object.metadata.name, manifest.object] as const))(
    "%s: %s",
    (_page, _name, object) => {
      const { kind, apiVersion, spec } = object;
      expect(apiVersion).toBe(API_VERSION);
      const schema = specs[kind as keyof typeof specs];
      const parsed = schema.parse(spec);
      // Every field that is written means something: what the schema doesn't know it would have dropped.
      expect(parsed).toMatchObject(spec);
    },
  );
});

test("every cox command and option that the pages name exists", async () => {
  const it = scene();
  const text = pages.map((page) => readFileSync(join(root, "docs/user", page), "utf8")).join("\n");
  const named = new Map<string, Set<string>>();
  for (const [, verb = "", rest = ""] of text.matchAll(
    /cox k8s ([a-z]+(?: (?:workspace|secret|agentconfig))?)([^\n`|]*)/g,
  )) {
    const options = named.get(verb) ?? new Set();
    for (const [option] of rest.matchAll(/(?<=\s)--[a-z-]+/g)) options.add(option);
    named.set(verb, options);
  }
  expect(named.size).toBeGreaterThan(10);
  for (const [verb, options] of named) {
    const { stdout, code } = await it.cox(["k8s", ...verb.split(" "), "--help"]);
    expect(code, verb).toBe(0);
    for (const option of options) expect(stdout, `cox k8s ${verb}`).toContain(option);
  }
});
