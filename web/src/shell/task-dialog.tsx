import { useState } from "react";
import type { AgentItem } from "../../../src/contract/api/agents.ts";
import { slug } from "../../../src/contract/ids.ts";
import { server } from "../api/client.ts";
import { useApi } from "../api/query.ts";
import { refreshTask, taskKey } from "../api/tasks.ts";
import { keyName } from "../base/keys.ts";
import { storage } from "../base/storage.ts";
import { go } from "../router.tsx";
import { newTask } from "../tasks/new-task-state.ts";
import { startRun } from "../tasks/start-run.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/parts.tsx";
import { attempt } from "../ui/toast.tsx";
import { TaskOptions } from "./task-options.tsx";

export interface Draft {
  prompt: string;
  title: string;
  agent: string;
  profile: string;
  model: string;
  project: string;
  workspace: string;
  permissions: "" | "ask" | "allow" | "deny";
  on: "" | "local" | "container" | "sandbox";
  worktree: boolean;
  review: boolean;
  dependsOn: string;
}

const blank: Draft = {
  prompt: "",
  title: "",
  agent: "",
  profile: "",
  model: "",
  project: "",
  workspace: "",
  permissions: "",
  on: "",
  worktree: false,
  review: true,
  dependsOn: "",
};

export function TaskDialog({ given }: { given: { agent?: string; prompt?: string } }) {
  const agents = useApi("GET /agents", {});
  const projects = useApi("GET /projects", {});
  const profiles = useApi("GET /profiles", {});
  const [draft, setDraft] = useState<Draft>(() => ({ ...blank, ...storage.read("new-task", {}), ...given }));
  const [busy, setBusy] = useState(false);
  const set = (change: Partial<Draft>) => {
    const next = { ...draft, ...change };
    setDraft(next);
    storage.write("new-task", next);
  };
  const known = projects.data?.items ?? [];
  const ready = inReadiness(agents.data?.items ?? []);
  const agent = draft.agent || ready.find(({ installed }) => installed)?.id || "";
  const chosen = ready.find(({ id }) => id === agent);
  const own = profiles.data?.items.filter((item) => item.profile.agent === agent).map(({ name }) => name) ?? [];
  const profile = own.includes(draft.profile) ? draft.profile : "";
  const workspace =
    draft.workspace || known.find(({ project }) => project === draft.project)?.workspace || known[0]?.workspace || "";
  const project =
    draft.project ||
    known.find((item) => item.workspace === workspace)?.project ||
    slug(workspace.split("/").at(-1) ?? "");
  const title = draft.title.trim() || firstLine(draft.prompt);
  const can = draft.prompt.trim() !== "" && workspace.startsWith("/") && agent !== "" && !busy;

  // A task on the board is started later, as its profile says.
  const startOnly = [
    draft.model !== "" && "model",
    draft.permissions !== "" && "permissions",
    draft.worktree && "checkout of its own",
  ].filter((name) => name !== false);

  const finish = (done: boolean) => {
    setBusy(false);
    if (!done) return;
    storage.write("new-task", { ...blank, agent: draft.agent, project: draft.project, workspace: draft.workspace });
    newTask.set(undefined);
  };
  const start = async () => {
    if (!can) return;
    setBusy(true);
    const { permissions, on, model } = draft;
    finish(
      await startRun({
        prompt: [{ type: "text", text: draft.prompt }],
        agent,
        title,
        workspace,
        project,
        worktree: draft.worktree,
        review: draft.review,
        ...(permissions === "" ? {} : { permissions }),
        ...(on === "" ? {} : { on }),
        ...(model === "" ? {} : { model }),
        ...(profile === "" ? {} : { profile }),
      }),
    );
  };
  const keep = async () => {
    if (!can) return;
    setBusy(true);
    const depends_on = draft.dependsOn.split(/[\s,]+/).filter(Boolean);
    const body = {
      title,
      prompt: draft.prompt,
      project,
      agent,
      workspace,
      review: draft.review,
      depends_on,
      ...(draft.worktree ? { worktree: {} } : {}),
      ...(draft.permissions === "" ? {} : { permissions: draft.permissions }),
      ...(draft.model === "" ? {} : { model: draft.model }),
      ...(draft.on === "" ? {} : { on: draft.on }),
      ...(profile === "" ? {} : { profile }),
    };
    const making = server.call("POST /tasks", { body }).then(async (made) => {
      await refreshTask(taskKey(made));
      go("/");
    });
    finish(await attempt(making, "It is on the board."));
  };

  return (
    <Dialog title="New task" wide onClose={() => newTask.set(undefined)}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void start();
        }}
      >
        <Field label="What is to be done?">
          {(id) => (
            <textarea
              id={id}
              data-focus
              rows={6}
              value={draft.prompt}
              placeholder="Describe the task as you would to a colleague."
              onChange={(event) => set({ prompt: event.target.value })}
            />
          )}
        </Field>
        <div className="fields">
          <Field label="Agent" hint={chosen?.hint}>
            {(id) => (
              <select
                id={id}
                value={agent}
                onChange={(event) => set({ agent: event.target.value, profile: "", model: "" })}
              >
                {ready.map((item) => (
                  <option key={item.id} value={item.id}>
                    {item.name}
                    {item.installed ? "" : " (not installed)"}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {own.length > 0 && (
            <Field label="Profile">
              {(id) => (
                <select id={id} value={profile} onChange={(event) => set({ profile: event.target.value })}>
                  <option value="">Its own</option>
                  {own.map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              )}
            </Field>
          )}
          <Field label="Model">
            {(id) => (
              <select id={id} value={draft.model} onChange={(event) => set({ model: event.target.value })}>
                <option value="">{chosen?.default_model ? `${chosen.default_model} (default)` : "Default"}</option>
                {chosen?.models.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Folder" hint="An absolute path on the machine of the server.">
            {(id) => (
              <input
                id={id}
                list="known-folders"
                value={workspace}
                placeholder="/home/you/project"
                onChange={(event) => set({ workspace: event.target.value })}
              />
            )}
          </Field>
          <Field label="Project">
            {(id) => (
              <input
                id={id}
                list="known-projects"
                value={project}
                onChange={(event) => set({ project: slugTyped(event.target.value) })}
              />
            )}
          </Field>
        </div>
        <datalist id="known-folders">
          {[...new Set(known.map((item) => item.workspace))].map((folder) => (
            <option key={folder} value={folder} />
          ))}
        </datalist>
        <datalist id="known-projects">
          {known.map((item) => (
            <option key={item.project} value={item.project} />
          ))}
        </datalist>
        <TaskOptions draft={draft} set={set} />
        {startOnly.length > 0 && (
          <p className="muted">Only for “Start now”, not kept on the board: {startOnly.join(", ")}.</p>
        )}
        <footer>
          <Button onClick={() => void keep()} disabled={!can}>
            Add to board
          </Button>
          <Button kind="main" type="submit" icon="play" disabled={!can} shortcut={keyName("mod+↵")}>
            Start now
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

export const firstLine = (text: string): string => (text.trim().split("\n")[0] ?? "").slice(0, 120);
/** Lets one type a dash at the end. */
const slugTyped = (text: string): string => text.toLowerCase().replace(/[^a-z0-9._-]+/g, "-");

/** What can work at once comes first; the demo agent after the real ones. */
const inReadiness = (agents: readonly AgentItem[]): AgentItem[] =>
  agents.toSorted(
    (a, b) => Number(b.installed) - Number(a.installed) || Number(a.id === "demo") - Number(b.id === "demo"),
  );
