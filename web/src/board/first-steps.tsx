import { useState } from "react";
import { useApi } from "../api/query.ts";
import { who } from "../api/who.ts";
import { useStore } from "../base/store.ts";
import { newTask } from "../tasks/new-task-state.ts";
import { startRun } from "../tasks/start-run.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/parts.tsx";

const EXAMPLE = "Look around, leave a note in cox-demo.md, and tell me what you saw.";

/** An empty board teaches: the shortest way to see an agent work, ask and be answered. */
export function FirstSteps() {
  const now = useStore(who);
  const agents = useApi("GET /agents", {});
  const [folder, setFolder] = useState<string>();
  const [busy, setBusy] = useState(false);
  const workspace = folder ?? (now.state === "known" ? now.version.cwd : "");
  const installed = agents.data?.items.filter(({ id, installed }) => installed && id !== "demo") ?? [];
  const tryIt = async () => {
    setBusy(true);
    await startRun({ prompt: [{ type: "text", text: EXAMPLE }], agent: "demo", workspace, title: "Try Coxswain" });
    setBusy(false);
  };
  return (
    <div className="first-steps">
      <h2>See an agent work</h2>
      <p>The board shows every task your agents work on. It is empty. Two ways to begin:</p>
      <div className="first-cards">
        <section className="panel first-card">
          <h3>Try it with the demo agent</h3>
          <ol>
            <li>It runs on this machine: no model, no account, no network.</li>
            <li>It asks before it writes a file. You say yes or no.</li>
            <li>You see what it changed.</li>
          </ol>
          <Field label="Folder it works in">
            {(id) => <input id={id} value={workspace} onChange={(event) => setFolder(event.target.value)} />}
          </Field>
          <Button kind="main" icon="play" disabled={busy || workspace === ""} onClick={() => void tryIt()}>
            Start the demo agent
          </Button>
        </section>
        <section className="panel first-card">
          <h3>Give a real agent a task</h3>
          <ol>
            {installed.length === 0 ? (
              <li>No coding agent was found on this machine; the Agents page says how to install one.</li>
            ) : (
              <li>Found here: {installed.map(({ name }) => name).join(", ")}.</li>
            )}
            <li>Say what to do and in which folder.</li>
            <li>Watch it, answer it, review its work.</li>
          </ol>
          <Button icon="plus" shortcut="n" onClick={() => newTask.set({})}>
            New task
          </Button>
        </section>
      </div>
    </div>
  );
}
