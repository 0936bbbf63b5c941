import { afterEach, expect, test } from "vitest";
import { forkRequest, type RunRequest, resumeRequest } from "../../contract/runs/request.ts";
import { decideRequest } from "../../core/launch/decide-request.ts";
import { Settings } from "../../core/launch/settings.ts";
import diff from "./commands/diff.ts";
import undo from "./commands/undo.ts";
import { requestOf } from "./run-options.ts";
import { testContext } from "./testing/test-context.ts";
import { TestHome } from "./testing/test-home.ts";

let home: TestHome;
afterEach(() => home.remove());

/** As one that was taken in with a folder, rights and a conversation. */
function imported() {
  home = new TestHome();
  const fields = { process_ownership: "external", cwd: home.root, permissions: "allow", session_id: "s1" } as const;
  const { id } = home.addRun([], fields);
  return { id, context: testContext({ env: home.env }) };
}

const decide = (request: RunRequest, context: Parameters<typeof requestOf>[2]) =>
  decideRequest(request, context, new Settings(home.root));
const prompt = [{ type: "text" as const, text: "go on" }];

test.each<[string, (given: ReturnType<typeof imported>) => Promise<unknown>]>([
  ["cox run --resume", async ({ id, context }) => decide(await requestOf({ resume: id }, ["go on"], context), context)],
  ["a follow-up", ({ id, context }) => decide(resumeRequest(id, { prompt }, "ada"), context)],
  [
    "a follow-up in a new conversation",
    ({ id, context }) => {
      const request = resumeRequest(id, { prompt }, "ada");
      return decide({ ...request, lineage: { by: "ada", resume: { run: id, anew: true } } }, context);
    },
  ],
  ["a branch", ({ id, context }) => decide(forkRequest(id, undefined, prompt, "ada"), context)],
  ["cox diff", ({ id }) => home.cox(diff, id)],
  ["cox undo", ({ id }) => home.cox(undo, id, "--yes")],
])("nobody goes on with an imported run: %s", async (_, go) => {
  await expect(go(imported())).rejects.toMatchObject({ code: "run.imported" });
});
