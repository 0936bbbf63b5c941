import type { FileChangeItem } from "../../../src/contract/api/workspace.ts";
import { server } from "../api/client.ts";
import { attempt } from "../ui/toast.tsx";

/** The mark is on this version of the file: when it changes again, it is to be looked at again. */
export function setReviewed(run: string, { path, hash }: FileChangeItem, reviewed: boolean): Promise<boolean> {
  return attempt(server.call("PUT /runs/{run}/review/marks", { params: { run }, body: { path, hash, reviewed } }));
}
