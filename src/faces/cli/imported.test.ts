import { afterEach, expect, test } from "vitest";
import { starting } from "../../app/server/starting.ts";
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

const prompt = [{ type: "text" as const, text: "go on" }];

test.each<[string, (given: ReturnType<typeof imported>) => Promise<unknown>]>([
  ["cox run --resume", ({ id, context }) => requestOf({ resume: id }, ["go on"], context)],
  ["a follow-up", ({ id, context }) => starting(context).resume(id, prompt, "ada")],
  [
    "a follow-up in another folder",
    ({ id, context }) => starting(context).resume(id, prompt, "ada", { choice: "anew" }),
  ],
  ["a branch", ({ id, context }) => starting(context).fork(id, undefined, prompt, "ada")],
  ["cox diff", ({ id }) => home.cox(diff, id)],
  ["cox undo", ({ id }) => home.cox(undo, id, "--yes")],
])("nobody goes on with an imported run: %s", async (_, go) => {
  await expect(go(imported())).rejects.toMatchObject({ code: "run.imported" });
});
