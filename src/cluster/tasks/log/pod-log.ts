import { linesOf } from "../../../lib/text/lines.ts";
import { pathOf, pods } from "../../kube/resource.ts";
import type { Cluster } from "../cluster.ts";

/** A line of a pod's log, with the time at which its node took it. */
export interface LogLine {
  at: string;
  /** Missing when it was too long to read. */
  text: string | undefined;
}

export interface PodLogOptions {
  pod: string;
  container: string;
  follow: boolean;
  /** Only lines after this one: where an earlier stream broke off. */
  after?: string;
  signal?: AbortSignal;
}

/** The lines of one pod, until its container ends or the connection breaks. */
export async function* podLog({ client, namespace }: Cluster, options: PodLogOptions): AsyncGenerator<LogLine[]> {
  const { pod, container, follow, after, signal } = options;
  // Whole seconds is all the API server can count, so lines of that second come again and are passed over.
  const sinceTime = after === undefined ? undefined : `${after.slice(0, 19)}Z`;
  const query = { container, follow, timestamps: true, sinceTime };
  const response = await client.open("GET", pathOf(pods, namespace, pod, "log"), { query, signal });
  response.on("error", () => {}); // told by the loop below
  let last = after ?? "";
  try {
    for await (const lines of linesOf(response)) {
      const fresh = lines
        .map((line) => lineOf("text" in line ? line.text : undefined, last))
        .filter(({ at }) => at > last);
      last = fresh.at(-1)?.at ?? last;
      if (fresh.length > 0) yield fresh;
    }
  } finally {
    response.destroy();
  }
}

function lineOf(line: string | undefined, before: string): LogLine {
  const space = line?.indexOf(" ") ?? -1;
  const at = line?.slice(0, space === -1 ? undefined : space) ?? "";
  if (line === undefined || !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(at)) return { at: `${before}~`, text: line };
  return { at: comparable(at), text: space === -1 ? "" : line.slice(space + 1) };
}

/** Nanoseconds are written without trailing zeros, so as text `…01.5Z` would come before `…01.49Z`. */
function comparable(at: string): string {
  const [whole = "", fraction = ""] = at.slice(0, -1).split(".");
  return `${whole}.${fraction.padEnd(9, "0")}Z`;
}
