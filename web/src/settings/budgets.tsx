import { useState } from "react";
import { formatCount, formatExactCost } from "../../../src/contract/words/figures.ts";
import { server } from "../api/client.ts";
import { useApi } from "../api/query.ts";
import { dateTime } from "../base/times.ts";
import { ask } from "../ui/ask.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Field, Loaded } from "../ui/parts.tsx";
import { attempt } from "../ui/toast.tsx";

/** What a project may spend. When it is spent, its runs are stopped and none is started. */
export function Budgets() {
  const budgets = useApi("GET /budgets", {});
  const projects = useApi("GET /projects", {});
  const [project, setProject] = useState("");
  const [usd, setUsd] = useState("");
  const [tokens, setTokens] = useState("");
  const valid = project !== "" && (Number(usd) > 0 || Number(tokens) > 0);
  const save = async () => {
    const body = {
      ...(Number(usd) > 0 ? { max_cost_usd: Number(usd) } : {}),
      ...(Number(tokens) > 0 ? { max_tokens: Math.round(Number(tokens)) } : {}),
    };
    await attempt(server.call("PUT /budgets/{project}", { params: { project }, body }), "It counts from now.");
    budgets.reload();
  };
  const remove = async (name: string) => {
    const sure = await ask({
      title: `Remove the budget of ${name}?`,
      text: "Its runs may then spend what they need.",
      yes: "Remove it",
      danger: true,
    });
    if (sure === undefined) return;
    await attempt(server.call("DELETE /budgets/{project}", { params: { project: name } }));
    budgets.reload();
  };
  return (
    <>
      <form
        className="panel panel-body inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (valid) void save();
        }}
      >
        <Field label="Project">
          {(id) => (
            <>
              <input
                id={id}
                list="budget-projects"
                value={project}
                onChange={(event) => setProject(event.target.value)}
              />
              <datalist id="budget-projects">
                {projects.data?.items.map((item) => (
                  <option key={item.project} value={item.project} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field label="At most, US dollars">
          {(id) => (
            <input
              id={id}
              type="number"
              min="0"
              step="0.01"
              value={usd}
              onChange={(event) => setUsd(event.target.value)}
            />
          )}
        </Field>
        <Field label="At most, tokens">
          {(id) => (
            <input id={id} type="number" min="0" value={tokens} onChange={(event) => setTokens(event.target.value)} />
          )}
        </Field>
        <Button kind="main" type="submit" disabled={!valid}>
          Set
        </Button>
      </form>
      <Loaded answer={budgets}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="muted">No project has a budget.</p>
          ) : (
            items.map(({ project: name, limits, spent, level, since, text }) => (
              <section key={name} className="panel">
                <header>
                  <h2 className="grow">{name}</h2>
                  <IconButton icon="trash" label={`Remove the budget of ${name}`} onClick={() => void remove(name)} />
                </header>
                <div className="panel-body settings-part">
                  {limits.max_cost_usd !== undefined && (
                    <Meter
                      label={`${formatExactCost(spent.cost_usd)} of ${formatExactCost(limits.max_cost_usd)}`}
                      part={spent.cost_usd / limits.max_cost_usd}
                      level={level}
                    />
                  )}
                  {limits.max_tokens !== undefined && (
                    <Meter
                      label={`${formatCount(spent.tokens)} of ${formatCount(limits.max_tokens)} tokens`}
                      part={spent.tokens / limits.max_tokens}
                      level={level}
                    />
                  )}
                  <small>
                    {text} Since {dateTime(since)}.
                  </small>
                </div>
              </section>
            ))
          )
        }
      </Loaded>
    </>
  );
}

function Meter({ label, part, level }: { label: string; part: number; level: string }) {
  return (
    <div>
      <p>{label}</p>
      <div className={`meter ${level}`} role="img" aria-label={label}>
        <div style={{ width: `${Math.min(part * 100, 100)}%` }} />
      </div>
    </div>
  );
}
