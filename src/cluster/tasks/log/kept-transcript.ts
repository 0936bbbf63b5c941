import { readFileSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import type { RecordedEvent } from "../../../contract/events.ts";
import type { Task } from "../../../contract/resources/task.ts";
import { httpClient } from "../../../lib/client/http.ts";

const PAGE = 2000;

/** What a Coxswain server has kept of a Task whose pod is gone: the last of its attempts. */
export async function* keptTranscript({ metadata }: Task, env: NodeJS.ProcessEnv): AsyncGenerator<RecordedEvent[]> {
  const { name, namespace = "" } = metadata;
  const url = (env.COX_SERVER_URL ?? "").replace(/\/+$/, "");
  if (url === "") {
    const message = `Task ${name}: its pod is gone, and its log with it; \`cox k8s describe ${name}\` shows what it left. Where a server keeps transcripts, set COX_SERVER_URL and COX_SERVER_TOKEN_FILE`;
    throw new AppError("task.state", message);
  }
  const client = httpClient({ url, token: tokenIn(env) });
  const { items } = await client.call("GET /runs", { query: { project: namespace, task: name, limit: 1 } });
  const run = items[0]?.run_id;
  if (run === undefined) {
    throw new AppError("task.state", `Task ${name}: its pod is gone, and the server at ${url} has no transcript of it`);
  }
  for (let after = 0; ; ) {
    const page = await client.call("GET /runs/{run}/events", { params: { run }, query: { after, limit: PAGE } });
    if (page.events.length === 0) return;
    yield page.events;
    after = page.events.at(-1)?.seq ?? after + PAGE;
  }
}

function tokenIn(env: NodeJS.ProcessEnv): string | undefined {
  const file = env.COX_SERVER_TOKEN_FILE;
  return file ? readFileSync(file, "utf8").trim() : env.COX_SERVER_TOKEN || undefined;
}
