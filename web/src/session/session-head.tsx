import { phaseOf } from "../../../src/contract/sessions/session-state.ts";
import { formatCost, formatCount } from "../../../src/contract/words/figures.ts";
import { server } from "../api/client.ts";
import { taskKey, tasks } from "../api/tasks.ts";
import { useKeys } from "../base/keys.ts";
import { cut, oneLine } from "../base/safe-text.ts";
import { useStore } from "../base/store.ts";
import { clockTime } from "../base/times.ts";
import { address, go, Link } from "../router.tsx";
import { actionsFor } from "../tasks/columns.ts";
import { doAction } from "../tasks/do-action.ts";
import { ask } from "../ui/ask.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Ring } from "../ui/parts.tsx";
import { EndPill, PhasePill, Pill } from "../ui/pill.tsx";
import { attempt } from "../ui/toast.tsx";
import { Options } from "./composer/options.tsx";
import { type Conversation, figuresOf } from "./conversation.ts";
import { Menu } from "./menu.tsx";
import type { SessionView } from "./session.tsx";

const tabs: readonly { view: SessionView; name: string; key: string }[] = [
  { view: "talk", name: "Conversation", key: "1" },
  { view: "review", name: "Review", key: "2" },
  { view: "files", name: "Files", key: "3" },
  { view: "runs", name: "Runs", key: "4" },
];

/** Who it is, where it stands, what it has used; and the two ways to end something. */
export function SessionHead({ conversation, view }: { conversation: Conversation; view: SessionView }) {
  const now = useStore(conversation.view);
  const { detail, folded } = now;
  const phase = phaseOf(folded.transcript.state);
  const params = { run: conversation.run };
  const working = phase === "working" || phase === "waiting";
  const interrupt = () => void attempt(server.call("POST /runs/{run}/interrupt", { params, body: {} }));
  const stop = async () => {
    const sure = await ask({
      title: "End this session?",
      text: "The agent's process is ended. A later prompt goes on with the conversation.",
      yes: "End it",
      danger: true,
    });
    if (sure !== undefined) await attempt(server.call("POST /runs/{run}/stop", { params }));
  };
  const to = (name: SessionView) =>
    name === "talk" ? address("runs", conversation.run) : address("runs", conversation.run, name);
  useKeys("Session", [
    ...tabs.map((tab) => ({ keys: tab.key, says: tab.name, do: () => go(to(tab.view)) })),
    { keys: "i", says: "Interrupt", do: () => working && interrupt() },
    { keys: "b", says: "Back to the board", do: () => go("/") },
  ]);
  return (
    <header className="session-head">
      <div className="session-line">
        <Link to="/" className="icon-button" aria-label="Board" title="Board">
          <Icon name="left" />
        </Link>
        <h1 className="one-line">{detail ? cut(oneLine(detail.title), 160) : "…"}</h1>
        {phase === "closed" && detail?.end?.status === "failed" ? (
          <EndPill end={detail.end} />
        ) : (
          <PhasePill phase={phase} />
        )}
        {now.lost && (
          <Pill tone="wait" icon="warn">
            Reconnecting
          </Pill>
        )}
        <span className="grow" />
        {detail && <Accept project={detail.project} task={detail.task} />}
        {working && (
          <Button icon="pause" onClick={interrupt} shortcut="i">
            Interrupt
          </Button>
        )}
        {phase !== "closed" && detail !== undefined && (
          <Button className="desk-only" icon="stop" onClick={() => void stop()}>
            End
          </Button>
        )}
        <Menu conversation={conversation} onEnd={phase === "closed" ? undefined : () => void stop()} />
      </div>
      <div className="session-line session-facts">
        <nav className="tabs" aria-label="Views of this session">
          {tabs.map((tab) => (
            <Link key={tab.view} to={to(tab.view)} aria-current={tab.view === view ? "page" : undefined}>
              {tab.name}
            </Link>
          ))}
        </nav>
        <span className="grow" />
        {detail && (
          <>
            <span className="fact">
              <Link to={address("tasks", detail.project, detail.task)}>{detail.project}</Link>
            </span>
            <span className="fact">{detail.agent}</span>
            <Options conversation={conversation} />
            <Used conversation={conversation} />
          </>
        )}
      </div>
    </header>
  );
}

/** Who has read and reviewed is here, not on the board. */
function Accept({ project, task }: { project: string; task: string }) {
  const item = useStore(tasks, ({ items }) => items.get(taskKey({ project, task })));
  if (item?.state !== "review" || !actionsFor(item).includes("done")) return null;
  return (
    <Button kind="main" icon="check" onClick={() => void doAction(item, "done")}>
      Done
    </Button>
  );
}

function Used({ conversation }: { conversation: Conversation }) {
  const view = useStore(conversation.view);
  const { input, output, costUsd, context } = figuresOf(view);
  const { rateLimit } = view.folded.latest;
  return (
    <>
      {rateLimit && rateLimit.status !== "ok" && (
        <Pill tone={rateLimit.status === "limited" ? "bad" : "wait"} icon="warn">
          {`Rate limit${rateLimit.usedPercent === undefined ? "" : ` ${Math.round(rateLimit.usedPercent)}%`}${
            rateLimit.resetsAt === undefined ? "" : `, until ${clockTime(rateLimit.resetsAt)}`
          }`}
        </Pill>
      )}
      {context && (
        <Ring
          percent={context.efficiency}
          label={`Context window: ${formatCount(context.used)} of ${formatCount(context.size)} tokens used, ${formatCount(context.remaining)} left${context.sizeFrom ? "; the agent's definition gives the size" : ""}`}
        />
      )}
      <span className="fact figures tokens" title={`${input} tokens in, ${output} tokens out`}>
        {formatCount(input + output)} tokens
      </span>
      {costUsd > 0 && <span className="fact figures">{formatCost(costUsd)}</span>}
    </>
  );
}
