import { describe, expect, test } from "vitest";
import type { TaskSpec } from "../../../../contract/resources/task.ts";
import { mergeConfigs } from "../../agent-config/merge.ts";
import { defaultOptions } from "../../options.ts";
import type { References } from "../references.ts";
import { aTask } from "../test-objects.ts";
import { taskFiles } from "./files.ts";
import { buildJob } from "./job.ts";
import { jobNameOf } from "./names.ts";

const none: References = {
  workspace: undefined,
  workspaceSecret: undefined,
  config: mergeConfigs([]),
  secrets: new Map(),
  configValues: new Map(),
};
const options = { ...defaultOptions, images: { codex: "codex:1" }, initImage: "init:1" };

function job(prompt: string, spec: Partial<TaskSpec> = {}, references: References = none, attempt = 1) {
  const files = taskFiles(prompt, references, undefined);
  return buildJob({ task: aTask(spec), attempt, prompt, references, mcp: undefined, files, options });
}
const podOf = (...args: Parameters<typeof job>) => job(...args).spec.template.spec;

describe("the Job of a Task", () => {
  test("is as the image interface says", () => {
    const pod = podOf("do it");
    expect(pod.containers).toHaveLength(1);
    expect(pod.containers[0]).toMatchObject({
      name: "codex",
      image: "codex:1",
      command: ["/kelos_entrypoint.sh"],
      args: ["do it"],
    });
    expect(pod.containers[0]).not.toHaveProperty("workingDir");
    expect(pod.securityContext).toMatchObject({
      runAsUser: 61100,
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(pod).toMatchObject({
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      enableServiceLinks: false,
    });
  });

  test("a workspace gives it a volume, a working directory and a clone, all without privileges", () => {
    const workspace = { repo: "https://github.com/a/b", depth: 1, files: [{ path: "x", content: "y" }] };
    const pod = podOf("do it", {}, { ...none, workspace });
    expect(pod.containers[0]).toMatchObject({ workingDir: "/workspace/repo" });
    expect(pod.initContainers?.map(({ name, image }) => `${name} ${image}`)).toEqual(["git-clone init:1"]);
    for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      });
      expect(container.resources).toBeDefined();
    }
  });

  test.each([
    ["begins with a dash", "--help"],
    ["has quotes and newlines", `a "b" 'c'\n\`d\``],
    ["is about templates", "{{ .Values.x }}"],
  ])("a prompt that %s is one argument as it is", (_, prompt) => {
    expect(podOf(prompt).containers[0]?.args).toEqual([prompt]);
  });

  test("what Kubernetes would expand in a prompt stays text", () => {
    expect(podOf("echo $(ANTHROPIC_API_KEY) $$(X)").containers[0]?.args).toEqual(["echo $$(ANTHROPIC_API_KEY) $$$(X)"]);
  });

  test("96 KiB is an argument, one byte more is a file", () => {
    const fits = "ü".repeat(48 * 1024);
    expect(podOf(fits).containers[0]?.args).toEqual([fits]);
    const pod = podOf(`${fits}x`);
    expect(pod.containers[0]?.args?.[0]).toContain("/kelos/task/prompt.md");
    expect(pod.volumes).toContainEqual({
      name: "kelos-task",
      configMap: { name: "fix-files-1", items: [{ key: "prompt.md", path: "prompt.md" }] },
    });
  });

  test("the shorter of two deadlines holds", () => {
    expect(
      job("x", { timeoutSeconds: 60, podOverrides: { activeDeadlineSeconds: 30 } }).spec.activeDeadlineSeconds,
    ).toBe(30);
    expect(job("x", { timeoutSeconds: 60 }).spec.activeDeadlineSeconds).toBe(60);
    expect(job("x").spec).not.toHaveProperty("activeDeadlineSeconds");
  });

  test("of the Secret with the server's token the agent gets the token alone", () => {
    const server = { url: "https://cox.example", tokenSecret: "transcripts" };
    const files = taskFiles("x", none, undefined);
    const made = buildJob({
      ...{ task: aTask(), attempt: 1, prompt: "x", references: none, mcp: undefined, files },
      options: { ...options, server },
    });
    expect(made.spec.template.spec.volumes).toMatchObject([
      { secret: { secretName: "transcripts", items: [{ key: "token", path: "token" }] } },
    ]);
  });

  test("labels of ours win", () => {
    const { labels } = job("x", { podOverrides: { labels: { team: "a", "coxswain.dev/task": "other" } } }).metadata;
    expect(labels).toMatchObject({ team: "a", "coxswain.dev/task": "fix" });
  });

  test("names of attempts fit a label and never meet", () => {
    const long = "a".repeat(63);
    const names = [jobNameOf(long, 1), jobNameOf(long, 2), jobNameOf(`${"a".repeat(62)}b`, 2), jobNameOf(long, 10)];
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(63);
    expect(jobNameOf("fix", 1)).toBe("fix");
    expect(jobNameOf("fix", 2)).toBe("fix-try-2");
  });
});
