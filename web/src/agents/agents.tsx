import { useState } from "react";
import type { AgentItem } from "../../../src/contract/api/agents.ts";
import { formatDuration } from "../../../src/contract/words/figures.ts";
import { server } from "../api/client.ts";
import { useApi } from "../api/query.ts";
import { cut, oneLine } from "../base/safe-text.ts";
import { newTask } from "../tasks/new-task-state.ts";
import { Button } from "../ui/button.tsx";
import { Failed, Loaded, Screen } from "../ui/parts.tsx";
import { Pill } from "../ui/pill.tsx";
import { ProfileDialog } from "./profile-dialog.tsx";
import { Profiles } from "./profiles.tsx";
import "../style/agents.css";

/** Which agents there are, whether they are ready, and how each is started. */
export function AgentsScreen() {
  const agents = useApi("GET /agents", {});
  const profiles = useApi("GET /profiles", {});
  const [editing, setEditing] = useState<{ agent: string; name: string }>();
  return (
    <Screen title="Agents">
      <Loaded answer={agents} lines={8}>
        {({ items }) => (
          <>
            <div className="agents">
              {items
                .toSorted((a, b) => Number(b.installed) - Number(a.installed))
                .map((agent) => (
                  <AgentPanel
                    key={agent.id}
                    agent={agent}
                    onProfile={() => setEditing({ agent: agent.id, name: "" })}
                  />
                ))}
            </div>
            <h2 className="agents-head">Profiles</h2>
            <Loaded answer={profiles}>
              {(known) => (
                <Profiles
                  items={known.items}
                  onEdit={(name, agent) => setEditing({ agent, name })}
                  onChange={profiles.reload}
                />
              )}
            </Loaded>
            {editing && (
              <ProfileDialog
                agents={items}
                agent={editing.agent}
                known={profiles.data?.items.find(({ name }) => name === editing.name)}
                onClose={(saved) => {
                  setEditing(undefined);
                  if (saved) profiles.reload();
                }}
              />
            )}
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function AgentPanel({ agent, onProfile }: { agent: AgentItem; onProfile: () => void }) {
  const { id, name, installed, version, program, login, hint, protocol, models, default_model, source } = agent;
  return (
    <section className={`panel agent ${installed ? "" : "missing"}`} aria-label={name}>
      <header>
        <h2 className="grow">{name}</h2>
        {installed || program === "" ? (
          <Pill tone={installed ? "good" : "calm"} icon={installed ? "check" : "cross"}>
            {installed ? "Installed" : "Not installed"}
          </Pill>
        ) : (
          <Pill tone="wait" icon="lock">
            Needs a login
          </Pill>
        )}
      </header>
      <div className="panel-body agent-body">
        {installed && (
          <dl className="facts">
            <Fact name="Version" value={version} />
            <Fact name="Login" value={login.how ? `${login.state}: ${login.how}` : login.state} />
            <Fact
              name="Model"
              value={
                default_model === ""
                  ? ""
                  : `${default_model}${models.length > 1 ? ` and ${models.length - 1} more` : ""}`
              }
            />
            <Fact name="Program" value={program} />
            <Fact name="Speaks" value={source === "yours" ? `${protocol} (yours)` : protocol} />
          </dl>
        )}
        {hint && <p className="agent-hint">{cut(hint, 600)}</p>}
        {installed && (
          <div className="row wrap">
            <Button onClick={() => newTask.set({ agent: id })}>New task</Button>
            <Button onClick={onProfile}>New profile</Button>
            <Test agent={id} />
          </div>
        )}
      </div>
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  if (value === "") return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd title={value}>{cut(oneLine(value), 160)}</dd>
    </div>
  );
}

/** Starts it, says hello and ends it: whether it works is known only then. */
function Test({ agent }: { agent: string }) {
  const [state, setState] = useState<{ busy: boolean; text: string; ok: boolean; error?: unknown }>();
  const test = async () => {
    setState({ busy: true, text: "", ok: false });
    try {
      const { ok, text, duration_ms } = await server.call("POST /agents/{agent}/test", { params: { agent } });
      setState({ busy: false, ok, text: `${cut(oneLine(text), 400)} (${formatDuration(duration_ms)})` });
    } catch (error) {
      setState({ busy: false, ok: false, text: "", error });
    }
  };
  return (
    <>
      <Button disabled={state?.busy} onClick={() => void test()}>
        {state?.busy ? "Testing…" : "Test"}
      </Button>
      {state?.error !== undefined && <Failed error={state.error} />}
      {state && !state.busy && state.error === undefined && (
        <p className={`agent-tested ${state.ok ? "added" : "removed"}`} role="status">
          {state.ok ? "It works: " : "It doesn't work: "}
          {state.text}
        </p>
      )}
    </>
  );
}
