import type { NewRun } from "../../../src/contract/api/runs.ts";
import { server } from "../api/client.ts";
import { newId } from "../base/id.ts";
import { address, go } from "../router.tsx";
import { attempt } from "../ui/toast.tsx";

/** Starts it and goes there. A click that is sent twice starts one run. */
export async function startRun(wishes: NewRun): Promise<boolean> {
  const headers = { "idempotency-key": newId() };
  return attempt(
    server.call("POST /runs", { body: wishes }, { headers }).then(({ run_id }) => go(address("runs", run_id))),
  );
}
