import { z } from "zod";
import { keyOf } from "./outputs.ts";

/** Kubernetes keeps this much of a container's termination message. */
export const MAX_TERMINATION_BYTES = 4096;

/**
 * A pod's outputs as a termination message, which reaches the cluster with the pod's status: it survives log rotation and
 * eviction, and what an agent prints can't be taken for it.
 */
export const Digest = z.object({
  coxswain: z.literal(1),
  outputs: z.array(z.string()),
  /** Keys whose lines were too long for the message; the log has them. */
  omitted: z.array(z.string()).optional(),
  /** Of all lines, each with its newline: a block in the log that has the same is the one that was reported. */
  sha256: z.string(),
  /** What went wrong, for people and for the next attempt. */
  failure: z.string().optional(),
});
export type Digest = z.infer<typeof Digest>;

/** The text that `sha256` is taken of. */
export const digestedText = (outputs: readonly string[]): string => outputs.map((line) => `${line}\n`).join("");

/** The digest of these lines, without the longest ones where all would be too much. */
export function encodeDigest(outputs: readonly string[], sha256: string, failure?: string): string {
  const kept = [...outputs];
  const omitted = new Set<string>();
  const encode = () => {
    const rest = {
      ...(omitted.size > 0 ? { omitted: [...omitted] } : {}),
      sha256,
      ...(failure ? { failure: cut(failure) } : {}),
    };
    return JSON.stringify({ coxswain: 1, outputs: kept, ...rest } satisfies Digest);
  };
  let text = encode();
  while (byteLength(text) > MAX_TERMINATION_BYTES && kept.length > 0) {
    const longest = kept.reduce((best, line, at) => (line.length > (kept[best] ?? "").length ? at : best), 0);
    const [line = ""] = kept.splice(longest, 1);
    omitted.add(keyOf(line)?.slice(0, 64) ?? "");
    text = encode();
  }
  return text;
}

const cut = (text: string) => (text.length <= 512 ? text : `${text.slice(0, 511)}…`);
const byteLength = (text: string) => new TextEncoder().encode(text).length;

/** A termination message of ours, or nothing: anybody may write there. */
export function decodeDigest(message: string | undefined): Digest | undefined {
  if (message === undefined || !message.startsWith('{"coxswain":')) return undefined;
  try {
    return Digest.safeParse(JSON.parse(message)).data;
  } catch {
    return undefined;
  }
}
