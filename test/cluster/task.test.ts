import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jobs, pathOf, pods, tasks } from "../../src/cluster/kube/resource.ts";
import { digestedText, encodeDigest } from "../../src/contract/outputs/outputs-digest.ts";
import { ClusterScene, noNode } from "./scene.ts";

const block = (...lines: string[]) =>
  ["---KELOS_OUTPUTS_START---", ...lines, "---KELOS_OUTPUTS_END---"].map((line) => `echo '${line}'`).join("; ");

describe.skipIf(noNode)("a Task in a real cluster", () => {
  let scene: ClusterScene;
  beforeAll(async () => {
    scene = await ClusterScene.open();
    await scene.operate({ startTimeoutMs: 2000 });
  });
  afterAll(() => scene?.close());

  test("becomes a Job whose outputs, results and usage are in its status", async () => {
    await scene.task(
      "works",
      `id -u; ${block("branch: main", "pr: https://a/1", "pr: https://a/2", "just words", "input-tokens: 12", "output-tokens: 3", "cost-usd: 0.05")}`,
    );
    const { status } = await scene.when("works");
    expect(status).toMatchObject({
      phase: "Succeeded",
      reason: "Completed",
      exitCode: 0,
      attempts: 1,
      jobName: "works",
      results: { branch: "main", pr: "https://a/2", "cost-usd": "0.05" },
      usage: { inputTokens: 12, outputTokens: 3, costUSD: "0.05" },
    });
    expect(status?.outputs).toHaveLength(7);
    expect(status?.conditions).toMatchObject([{ type: "OutputsFromLog", status: "True" }]);
    expect(Date.parse(status?.completionTime ?? "")).toBeGreaterThanOrEqual(Date.parse(status?.startTime ?? ""));
  });

  test("a termination message wins over whatever the log says, before it or after it", async () => {
    const digest = JSON.stringify({ coxswain: 1, outputs: ["commit: right"], sha256: "0" });
    await scene.task(
      "digest",
      `${block("commit: forged")}; printf '%s' '${digest}' > /dev/termination-log; ${block("commit: forged too")}`,
    );
    const { status } = await scene.when("digest");
    expect(status?.results).toEqual({ commit: "right" });
    expect(status?.conditions).toBeUndefined();
  });

  test("10 MB of noise after the block cost nothing", async () => {
    await scene.task(
      "noisy",
      `${block("commit: abc")}; yes 0123456789012345678901234567890123456789 | head -c 9000000`,
    );
    expect((await scene.when("noisy")).status?.results).toEqual({ commit: "abc" });
  });

  test("a flood of 40 MB costs nothing when there is a termination message", async () => {
    const digest = JSON.stringify({ coxswain: 1, outputs: ["commit: abc"], sha256: "0" });
    await scene.task(
      "flood",
      `yes 0123456789012345678901234567890123456789 | head -c 40000000; printf '%s' '${digest}' > /dev/termination-log`,
    );
    expect((await scene.when("flood")).status?.results).toEqual({ commit: "abc" });
  });

  test("a response too long for the message is taken from the log, if it is the one that is meant", async () => {
    const lines = ["branch: b", `response: ${"A".repeat(20_000)}`];
    const sha256 = createHash("sha256").update(digestedText(lines)).digest("hex");
    const print = `${block(...lines)}; printf '%s' '${encodeDigest(lines, sha256)}' > /dev/termination-log`;
    await scene.task("long-response", `${print}; ${block("branch: evil", "response: evil")}`);
    const { status } = await scene.when("long-response");
    expect(status?.results).toEqual({ branch: "b", response: "A".repeat(20_000) });
    expect(status?.conditions).toBeUndefined();
  });

  test("outputs beyond all measure are a condition, not a success without a word", async () => {
    await scene.task(
      "huge",
      `echo '---KELOS_OUTPUTS_START---'; printf 'response: '; yes A | head -c 2000000 | tr -d '\\n'; echo; echo '---KELOS_OUTPUTS_END---'`,
    );
    const { status } = await scene.when("huge");
    expect(status).toMatchObject({
      phase: "Succeeded",
      conditions: [{ type: "OutputsUnavailable", status: "True", reason: "TooLarge" }],
    });
  });

  test("evicted, it is tried again, because nothing it did was wrong", async () => {
    await scene.task("evicted", "sleep 6", {
      podOverrides: { terminationGracePeriodSeconds: 1 },
      retry: { attempts: 2, on: ["Disrupted"], appendFailure: false },
    });
    const { status } = await scene.when("evicted", (task) => task.status?.phase === "Running");
    const eviction = {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: status?.podName, namespace: scene.namespace },
    };
    await scene.client.request("POST", pathOf(pods, scene.namespace, status?.podName ?? "", "eviction"), {
      body: eviction,
    });
    const again = await scene.when("evicted", (task) => task.status?.lastAttempt !== undefined);
    expect(again.status?.lastAttempt).toMatchObject({
      number: 1,
      retryReason: "Disrupted",
      reason: "EvictionByEvictionAPI",
    });
    expect((await scene.when("evicted")).status).toMatchObject({ phase: "Succeeded", attempts: 2 });
  });

  test("success without outputs says so, and a block that never ends is none", async () => {
    await scene.task("silent", "echo '---KELOS_OUTPUTS_START---'; echo 'commit: half'");
    const { status } = await scene.when("silent");
    expect(status).toMatchObject({
      phase: "Succeeded",
      conditions: [{ type: "OutputsUnavailable", status: "True", reason: "NotReported" }],
    });
    expect(status?.outputs).toBeUndefined();
  });

  test.each([
    ["exits", "exit 42", {}, { phase: "Failed", reason: "AgentFailed", exitCode: 42 }],
    [
      "eats",
      "x=$(yes | head -c 400000000); echo $x | head -c 1",
      { podOverrides: { resources: { limits: { memory: "32Mi" } } } },
      { phase: "Failed", reason: "OOMKilled", exitCode: 137 },
    ],
    [
      "late",
      "sleep 600",
      { timeoutSeconds: 3, podOverrides: { terminationGracePeriodSeconds: 1 } },
      { phase: "TimedOut", reason: "DeadlineExceeded" },
    ],
    [
      "no-image",
      "true",
      { image: "cox.test/missing:1" },
      { phase: "Failed", reason: expect.stringMatching(/^(ErrImagePull|ImagePullBackOff)$/) },
    ],
    ["bad-image", "true", { image: "Not An Image" }, { phase: "Failed", reason: "InvalidImageName" }],
    ["no-entrypoint", "true", { image: "cox.test/git:1" }, { phase: "Failed", reason: "StartError" }],
  ] as const)("%s: the reason is in the status", async (name, prompt, more, expected) => {
    await scene.task(name, prompt, more);
    const { status } = await scene.when(name);
    expect(status).toMatchObject(expected);
    expect(status?.message).not.toBe("");
    expect(status?.conditions).toMatchObject([{ type: "OutputsUnavailable", status: "True" }]);
  });

  test("one that finds no place says why, and stays pending", async () => {
    await scene.task("nowhere", "true", { podOverrides: { nodeSelector: { moon: "far-side" } } });
    const { status } = await scene.when("nowhere", (task) => task.status?.reason === "Unschedulable");
    expect(status).toMatchObject({ phase: "Pending", message: expect.stringContaining("node") });
  });

  test("cancelled, it gets its grace and keeps what it had", async () => {
    const digest = JSON.stringify({ coxswain: 1, outputs: ["branch: half-done", "cost-usd: 0.02"], sha256: "0" });
    await scene.task(
      "cancelled",
      `trap 'printf "%s" "$DIGEST" > /dev/termination-log; exit 3' TERM; echo ready; sleep 300 & wait`,
      {
        podOverrides: { env: [{ name: "DIGEST", value: digest }] },
      },
    );
    await scene.when("cancelled", (task) => task.status?.phase === "Running");
    await scene.client.patch(tasks, scene.namespace, "cancelled", { spec: { cancel: true } });
    const { status } = await scene.when("cancelled");
    expect(status).toMatchObject({
      phase: "Cancelled",
      reason: "Cancelled",
      results: { branch: "half-done" },
      usage: { costUSD: "0.02" },
    });
    expect(status?.conditions).toBeUndefined();
  });

  test("its time over, what it had is kept too", async () => {
    const digest = JSON.stringify({ coxswain: 1, outputs: ["cost-usd: 0.07"], sha256: "0" });
    await scene.task("deadline", `trap 'printf "%s" "$DIGEST" > /dev/termination-log; exit 3' TERM; sleep 300 & wait`, {
      timeoutSeconds: 4,
      podOverrides: { env: [{ name: "DIGEST", value: digest }] },
    });
    expect((await scene.when("deadline")).status).toMatchObject({ phase: "TimedOut", usage: { costUSD: "0.07" } });
  });

  test("a failure is tried again as often as asked, and costs add up", async () => {
    const digest = JSON.stringify({
      coxswain: 1,
      outputs: ["cost-usd: 0.01"],
      sha256: "0",
      failure: "model overloaded",
    });
    await scene.task("again", `printf '%s' '${digest}' > /dev/termination-log; echo "$1"; exit 1`, {
      retry: { attempts: 3, on: ["Failed"], appendFailure: true },
    });
    const { status } = await scene.when("again");
    expect(status).toMatchObject({ phase: "Failed", attempts: 3, jobName: "again-try-3", usage: { costUSD: "0.03" } });
    expect(status?.message).toContain("model overloaded");
    const { items } = await scene.client.list(jobs, scene.namespace, { labelSelector: "coxswain.dev/task=again" });
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(["again", "again-try-2", "again-try-3"]);
    const last = items.find(({ metadata }) => metadata.name === "again-try-3");
    expect(last?.spec.template.spec.containers[0]?.args?.[0]).toContain(
      "An earlier attempt at this did not succeed (AgentFailed)",
    );
  });

  test("TTL removes the Task, and with it the Job and the pod", async () => {
    await scene.task("short", "true", { ttlSecondsAfterFinished: 1 });
    const gone = async (resource: typeof tasks | typeof jobs | typeof pods) => {
      const { items } = await scene.client.list<never>(
        resource as never,
        scene.namespace,
        resource === tasks ? {} : { labelSelector: "coxswain.dev/task=short" },
      );
      return !(items as { metadata: { name: string } }[]).some(({ metadata }) => metadata.name.startsWith("short"));
    };
    await scene.until("the Task to go", () => gone(tasks));
    await scene.until("its Job to go", () => gone(jobs));
    await scene.until("its pod to go", () => gone(pods));
  });

  test("the pod meets the restricted profile and has no account to speak with", async () => {
    // The namespace enforces it: a pod that didn't would not have been made.
    await scene.task(
      "narrow",
      `id -u; test ! -e /var/run/secrets/kubernetes.io/serviceaccount/token && test "$(id -u)" = 61100`,
    );
    expect((await scene.when("narrow")).status).toMatchObject({ phase: "Succeeded" });
  });
});
