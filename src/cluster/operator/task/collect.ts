import { createHash } from "node:crypto";
import { MAX_OUTPUTS_BYTES, noBlock, resultsOf, scanLine, usageOf } from "../../../contract/outputs/outputs.ts";
import { type Digest, decodeDigest, digestedText } from "../../../contract/outputs/outputs-digest.ts";
import { linesOf } from "../../../lib/text/lines.ts";
import type { KubeClient } from "../../kube/client.ts";
import { KubeError } from "../../kube/error.ts";
import type { Pod } from "../../kube/objects.ts";
import { pathOf, pods } from "../../kube/resource.ts";
import type { Said } from "./plan/conditions.ts";
import { terminatedIn } from "./plan/outcome.ts";
import type { Collected } from "./plan/view.ts";

/** What a log gave: the last whole block, or why there is none. */
export type LogOutputs = { lines: readonly string[]; tooLarge: boolean } | { missing: string };

/**
 * What an attempt's pod reported. The termination message counts, because what an agent prints can't be taken for it; the log
 * fills in the lines that were too long for it, if they are the very lines it speaks of. Without a message the log is all
 * there is, and a condition says so.
 */
export async function collect(client: KubeClient, pod: Pod | undefined, container: string): Promise<Collected> {
  const message = terminatedIn(pod, container)?.message;
  const digest = decodeDigest(message);
  const needsLog = digest === undefined || (digest.omitted?.length ?? 0) > 0;
  const log = needsLog ? await readOutputs(client, pod, container, digest) : undefined;
  return combine(digest, log);
}

/** Pure: which of the two to believe. */
export function combine(digest: Digest | undefined, log: LogOutputs | undefined): Collected {
  if (digest === undefined) return fromLog(log);
  const omitted = digest.omitted ?? [];
  if (omitted.length === 0) return kept(digest.outputs, [], digest.failure);
  if (log !== undefined && "lines" in log && !log.tooLarge && isThat(digest)(log.lines))
    return kept(log.lines, [], digest.failure);
  const why = log !== undefined && "missing" in log ? log.missing : "no block in the log is the one that was reported";
  const message = `too long for the termination message, and not to be had from the log (${why}): ${omitted.join(", ")}`;
  return kept(digest.outputs, [unavailable("TooLarge", message)], digest.failure);
}

function fromLog(log: LogOutputs | undefined): Collected {
  if (log === undefined || "missing" in log)
    return kept([], [unavailable("NotReported", log?.missing ?? "there is no log")]);
  if (log.tooLarge) {
    return kept([], [unavailable("TooLarge", `the block in the log is longer than ${MAX_OUTPUTS_BYTES} bytes`)]);
  }
  if (log.lines.length === 0) {
    return kept(
      [],
      [unavailable("NotReported", "there is neither a termination message nor a whole block of outputs in the log")],
    );
  }
  const message = "these outputs are known from the log alone, where anything the agent printed could look the same";
  return kept(log.lines, [{ type: "OutputsFromLog", status: true, reason: "NoTerminationMessage", message }]);
}

const unavailable = (reason: string, message: string): Said => ({
  type: "OutputsUnavailable",
  status: true,
  reason,
  message,
});

function kept(outputs: readonly string[], said: readonly Said[], failure?: string): Collected {
  const results = resultsOf(outputs);
  return { outputs, results, usage: usageOf(results), said, failure };
}

const isThat = (digest: Digest) => (lines: readonly string[]) =>
  createHash("sha256").update(digestedText(lines)).digest("hex") === digest.sha256;

async function readOutputs(
  client: KubeClient,
  pod: Pod | undefined,
  container: string,
  digest: Digest | undefined,
): Promise<LogOutputs> {
  if (pod === undefined) return { missing: "the pod is gone, and its log with it" };
  const { namespace, name } = pod.metadata;
  const scan = digest === undefined ? noBlock() : noBlock(isThat(digest));
  try {
    const log = await client.open("GET", pathOf(pods, namespace, name, "log"), {
      query: { container },
      timeoutMs: LOG_MS,
    });
    for await (const lines of linesOf(log))
      for (const line of lines) scanLine(scan, "text" in line ? line.text : undefined);
  } catch (error) {
    // 404: the pod is gone; 400: it never had a log. Anything else may pass, so the whole round is tried again.
    if (error instanceof KubeError && (error.status === 404 || error.status === 400)) {
      return { missing: error.status === 404 ? "the pod is gone, and its log with it" : "the container has no log" };
    }
    throw error;
  }
  return { lines: scan.found ?? [], tooLarge: scan.tooLarge };
}

const LOG_MS = 60_000;
