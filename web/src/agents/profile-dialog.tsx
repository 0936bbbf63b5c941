import { useEffect, useState } from "react";
import type { AgentItem } from "../../../src/contract/api/agents.ts";
import { problemText, server } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Check, Field } from "../ui/parts.tsx";
import { attempt } from "../ui/toast.tsx";
import { type Profile, textOf } from "./profiles.tsx";

interface Draft {
  name: string;
  agent: string;
  model: string;
  permissions: string;
  on: string;
  switches: Readonly<Record<string, boolean>>;
}

/** The form is made of the agent's own switches and models; below it the command that would be run. */
export function ProfileDialog({
  agents,
  agent,
  known,
  onClose,
}: {
  agents: readonly AgentItem[];
  agent: string;
  known: Profile | undefined;
  onClose: (saved: boolean) => void;
}) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(agent, known));
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const chosen = agents.find(({ id }) => id === draft.agent);
  const valid = /^[a-z0-9][a-z0-9._-]{0,63}$/.test(draft.name);
  const save = async () => {
    const profile = draft.name;
    const body = { ...valuesOf(draft), ...removedBy(draft, known) };
    if (await attempt(server.call("PUT /profiles/{profile}", { params: { profile }, body }), "Saved.")) onClose(true);
  };
  return (
    <Dialog title={known ? `Profile ${known.name}` : "New profile"} wide onClose={() => onClose(false)}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (valid) void save();
        }}
      >
        <div className="fields">
          <Field label="Name" hint="a-z, 0-9, dot, dash">
            {(id) => (
              <input
                id={id}
                data-focus
                value={draft.name}
                disabled={known !== undefined}
                onChange={(event) => set({ name: event.target.value.toLowerCase() })}
              />
            )}
          </Field>
          <Field label="Agent">
            {(id) => (
              <select
                id={id}
                value={draft.agent}
                onChange={(event) => set({ agent: event.target.value, model: "", switches: {} })}
              >
                {agents.map((item) => (
                  <option key={item.id} value={item.id}>
                    {item.name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Model">
            {(id) => (
              <>
                <input
                  id={id}
                  list="models"
                  value={draft.model}
                  placeholder={chosen?.default_model ?? ""}
                  onChange={(event) => set({ model: event.target.value })}
                />
                <datalist id="models">
                  {chosen?.models.map(({ value, label }) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </datalist>
              </>
            )}
          </Field>
          <Field label="Permissions">
            {(id) => (
              <select id={id} value={draft.permissions} onChange={(event) => set({ permissions: event.target.value })}>
                <option value="">Ask me</option>
                <option value="allow">Allow everything</option>
                <option value="deny">Deny everything</option>
              </select>
            )}
          </Field>
          <Field label="Runs in">
            {(id) => (
              <select id={id} value={draft.on} onChange={(event) => set({ on: event.target.value })}>
                <option value="">This machine</option>
                <option value="sandbox">A sandbox</option>
                <option value="container">A container</option>
              </select>
            )}
          </Field>
        </div>
        {chosen?.permission_settings.map((setting) => (
          <Check
            key={setting.id}
            label={setting.label}
            hint={setting.description}
            checked={draft.switches[setting.id] ?? setting.default}
            onChange={(on) => set({ switches: { ...draft.switches, [setting.id]: on } })}
          />
        ))}
        <Preview draft={draft} />
        <p className="muted">
          Keys and tokens are not set in the browser: <code>cox profile set {draft.name || "NAME"} --token -</code>
        </p>
        <footer>
          <Button onClick={() => onClose(false)}>Back</Button>
          <Button kind="main" type="submit" disabled={!valid}>
            Save
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

function draftOf(agent: string, known: Profile | undefined): Draft {
  const { profile = {}, name = "" } = known ?? {};
  const { permissions } = profile;
  return {
    name,
    agent: agent || textOf(profile.agent),
    model: textOf(profile.model),
    permissions: typeof permissions === "string" && permissions !== "ask" ? permissions : "",
    on: profile.on === "local" ? "" : textOf(profile.on),
    switches: (profile.switches as Record<string, boolean> | undefined) ?? {},
  };
}

/** Only what the form says; the rest of a profile stays as it is. */
function valuesOf({ agent, model, permissions, on, switches }: Draft): Record<string, unknown> {
  return {
    agent,
    ...(model === "" ? {} : { model }),
    ...(permissions === "" ? {} : { permissions }),
    ...(on === "" ? {} : { on }),
    ...(Object.keys(switches).length === 0 ? {} : { switches }),
  };
}

/** What was set and is not any more. A policy per kind of tool is not the form's to remove. */
function removedBy(draft: Draft, known: Profile | undefined): Record<string, null> {
  if (known === undefined) return {};
  const { profile } = known;
  const gone: [string, boolean][] = [
    ["model", draft.model === "" && profile.model !== undefined],
    ["permissions", draft.permissions === "" && typeof profile.permissions === "string"],
    ["on", draft.on === "" && profile.on !== undefined],
  ];
  return Object.fromEntries(gone.flatMap(([key, is]) => (is ? [[key, null]] : [])));
}

function Preview({ draft }: { draft: Draft }) {
  const [shown, setShown] = useState<{ commandline: string; env: string[]; problem?: string | undefined }>();
  const [error, setError] = useState("");
  const text = JSON.stringify(valuesOf(draft));
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const { agent, ...profile } = JSON.parse(text) as Record<string, unknown>;
      server
        .call(
          "POST /profiles/preview",
          { body: { agent: String(agent), profile: { agent, ...profile } } },
          { signal: stop.signal },
        )
        .then((made) => {
          setShown(made);
          setError("");
        })
        .catch((problem: unknown) => stop.signal.aborted || setError(problemText(problem)));
    }, 200);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  return (
    <div className="field">
      <span>The command it runs</span>
      <pre className="output" aria-live="polite">
        {error === "" ? (shown?.commandline ?? "…") : error}
      </pre>
      {shown && shown.env.length > 0 && <small>with {shown.env.join(", ")} set</small>}
      {shown?.problem && <small className="removed">{shown.problem}</small>}
    </div>
  );
}
