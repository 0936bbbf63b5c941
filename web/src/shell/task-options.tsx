import { Check, Field } from "../ui/parts.tsx";
import { type Draft, firstLine } from "./task-dialog.tsx";

/** What most tasks leave as it is. */
export function TaskOptions({ draft, set }: { draft: Draft; set: (change: Partial<Draft>) => void }) {
  return (
    <details>
      <summary>More</summary>
      <div className="form new-task-more">
        <div className="fields">
          <Field label="Title">
            {(id) => (
              <input
                id={id}
                value={draft.title}
                placeholder={firstLine(draft.prompt)}
                onChange={(event) => set({ title: event.target.value })}
              />
            )}
          </Field>
          <Field label="Permissions">
            {(id) => (
              <select
                id={id}
                value={draft.permissions}
                onChange={(event) => set({ permissions: event.target.value as Draft["permissions"] })}
              >
                <option value="">As its profile says</option>
                <option value="ask">Ask me</option>
                <option value="allow">Allow everything</option>
                <option value="deny">Deny everything</option>
              </select>
            )}
          </Field>
          <Field label="Runs in">
            {(id) => (
              <select id={id} value={draft.on} onChange={(event) => set({ on: event.target.value as Draft["on"] })}>
                <option value="">Default</option>
                <option value="local">This machine</option>
                <option value="sandbox">A sandbox</option>
                <option value="container">A container</option>
              </select>
            )}
          </Field>
          <Field label="After these tasks" hint="Only for a task that is added, not started.">
            {(id) => (
              <input id={id} value={draft.dependsOn} onChange={(event) => set({ dependsOn: event.target.value })} />
            )}
          </Field>
        </div>
        <Check
          label="Work in a checkout of its own"
          hint="A git worktree and branch for this task, so that several agents don't meet."
          checked={draft.worktree}
          onChange={(worktree) => set({ worktree })}
        />
        <Check label="I review the result" checked={draft.review} onChange={(review) => set({ review })} />
      </div>
    </details>
  );
}
