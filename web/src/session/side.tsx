import { runName } from "../../../src/contract/ids.ts";
import { phaseOf } from "../../../src/contract/sessions/session-state.ts";
import { plural } from "../../../src/contract/words/figures.ts";
import { useApi } from "../api/query.ts";
import { cut, oneLine, printable } from "../base/safe-text.ts";
import { useStore } from "../base/store.ts";
import { address, Link } from "../router.tsx";
import { Icon } from "../ui/icon.tsx";
import { EndPill } from "../ui/pill.tsx";
import type { Conversation } from "./conversation.ts";

const marks = { pending: "○", in_progress: "◐", completed: "●", cancelled: "⊘" } as const;

/** Beside the conversation: its plan, what it changed, the runs it started. */
export function Side({ conversation }: { conversation: Conversation }) {
  const { folded, detail, version } = useStore(conversation.view);
  void version;
  const { plan, turns, state } = folded.transcript;
  return (
    <aside className="side" aria-label="About this session">
      {plan && plan.entries.length > 0 && (
        <section>
          <h2>Plan</h2>
          <ol className="plan">
            {plan.entries.slice(0, 60).map((entry, i) => (
              <li key={i} className={entry.status}>
                <span role="img" aria-label={entry.status.replace("_", " ")}>
                  {marks[entry.status]}
                </span>
                <span>{cut(printable(entry.text), 300)}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
      <Changes run={conversation.run} key={`${turns}${phaseOf(state)}`} />
      {detail && detail.children.length > 0 && (
        <section>
          <h2>Runs it started</h2>
          <ul>
            {detail.children.slice(0, 20).map((child) => (
              <li key={child.run_id} className="row">
                <Link className="grow one-line" to={address("runs", child.run_id)}>
                  {cut(oneLine(child.title || runName(child)), 80)}
                </Link>
                <EndPill end={child.end} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {detail && <About detail={detail} />}
    </aside>
  );
}

function Changes({ run }: { run: string }) {
  const { data } = useApi("GET /runs/{run}/workspace/diff", { params: { run }, query: { from: "start" } });
  if (data === undefined || data.files.length === 0) return null;
  return (
    <section>
      <h2>
        Changes <span className="added">+{data.added}</span> <span className="removed">−{data.removed}</span>
      </h2>
      <ul className="changes">
        {data.files.slice(0, 12).map(({ path, added, removed }) => (
          <li key={path} className="row">
            <Link
              className="grow one-line"
              title={path}
              to={`${address("runs", run, "review")}?file=${encodeURIComponent(path)}`}
            >
              {cut(oneLine(path), 120)}
            </Link>
            <span className="diff-stat">
              <span className="added">+{added ?? 0}</span> <span className="removed">−{removed ?? 0}</span>
            </span>
          </li>
        ))}
      </ul>
      <Link to={address("runs", run, "review")}>Review {plural(data.files.length, "file")}</Link>
    </section>
  );
}

function About({ detail }: { detail: NonNullable<ReturnType<Conversation["view"]["get"]>["detail"]> }) {
  const facts: readonly [string, string][] = [
    ["Run", runName(detail)],
    ["Folder", detail.cwd],
    ["Branch", detail.branch],
    ["Profile", detail.profile],
    ["Runs in", detail.on === "local" ? "" : detail.on],
    ["Version", detail.agent_version],
  ];
  return (
    <section>
      <h2>About</h2>
      <dl className="facts">
        {facts
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd title={value}>{cut(oneLine(value), 120)}</dd>
            </div>
          ))}
      </dl>
      {detail.previous !== undefined && <Link to={address("runs", detail.previous)}>What was said before</Link>}
      {detail.error_summary !== "" && (
        <p className="removed">
          <Icon name="warn" size={13} /> {cut(oneLine(detail.error_summary), 300)}
        </p>
      )}
    </section>
  );
}
