import { until } from "../support/cox.ts";
import type { TestServer } from "./server.ts";

/** A morning's work: tasks in every column, two projects, something to answer, to review and to read. */
export async function furnish(server: TestServer): Promise<Record<"review" | "waiting" | "failed", string>> {
  const workspace = server.scene.workspace;
  const task = (title: string, more: object = {}) =>
    server.api.call("POST /tasks", {
      body: { title, prompt: title, project: "webshop", agent: "demo", workspace, ...more },
    });
  await task("Write the changelog for 1.4");
  await task("Update pinned dependencies", { priority: 5 });
  await task("Remove the old checkout page", { project: "infra" });
  const [review, , failed, , waiting] = await Promise.all([
    server.run(REVIEW, { project: "webshop", permissions: "allow" }),
    server.run(WORKING, { project: "webshop", permissions: "allow" }),
    server.run("Rotate the signing keys\n@say Let me look at the vault.\n@error auth", {
      project: "infra",
      mode: "batch",
      review: false,
    }),
    server.run("Choose a queue for e-mails\n@question Which queue shall I use? | PostgreSQL | Redis | None yet", {
      project: "infra",
    }),
    server.run(WAITING, { project: "webshop" }),
  ]);
  const done = await server.run(
    "Explain the retry logic\n@read README.md\n@say It retries three times.\n@usage 900 80 0.04",
    { project: "infra" },
  );
  const detail = (run: string) => server.api.call("GET /runs/{run}", { params: { run } });
  for (const run of [review, done]) await until(async () => (await detail(run)).phase === "idle");
  for (const run of [waiting]) await until(async () => (await detail(run)).phase === "waiting");
  const { project, task: explained } = await detail(done);
  await server.api.call("POST /tasks/{project}/{task}/done", { params: { project, task: explained } });
  await server.api.call("POST /bus/{project}", {
    params: { project: "webshop" },
    body: { type: "FACT", body: "The staging database is read-only until noon." },
  });
  return { review, waiting, failed };
}

const REVIEW = `Greet people politely
@plan Read the code; Change the greeting; Run the tests
@think The greeting is in src/greet.ts. It should be polite and handle an empty name.
@read src/greet.ts
@edit src/greet.ts export function greet(name: string): string { return name === "" ? "Good day!" : \`Good day, \${name}!\`; }
@edit docs/greeting.md # How we greet
@run echo '2 passed'
@say I made the greeting **polite**, and it copes with an empty name: \`greet("Ada")\` says *Good day, Ada!*
@usage 18200 940 0.31
@context 42000 100000`;

const WORKING = `Make the product search faster
@plan Measure; Find the slow query; Add an index
@think First measure, then change.
@tool search Search for the query that loads products
@say The search reads every product. I add an index and measure again.
@slow 100000 700`;

const WAITING = `Add a health check
@say I add an endpoint that answers when the service is ready.
@edit src/health.ts export const healthy = () => ({ ok: true });
@say Done.`;
