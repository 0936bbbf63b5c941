import { memo } from "react";
import type { EventOf } from "../../../src/contract/events.ts";
import type { OpenRequest } from "../../../src/contract/sessions/transcript.ts";
import { cut, oneLine, revealedLine } from "../base/safe-text.ts";
import { Icon } from "../ui/icon.tsx";
import { Pill } from "../ui/pill.tsx";

type Resolved = EventOf<"request_resolved">;

const tones = { allowed: "good", answered: "good", denied: "bad", cancelled: "calm", expired: "calm" } as const;
const by = { person: "a person", rule: "a rule", policy: "the policy", agent: "the agent" } as const;

/** That the agent asked, and what became of it. While it is open the card below is where to answer. */
export const RequestRow = memo(function RequestRow({
  request,
  resolved,
}: {
  request: OpenRequest;
  resolved: Resolved | undefined;
}) {
  const title =
    request.type === "permission_request"
      ? request.permissionTitle
      : (request.message ?? request.questions[0]?.text ?? "A question");
  return (
    <div className="row-request">
      <Icon name={request.type === "permission_request" ? "lock" : "ask"} size={14} />
      <span className="one-line">{cut(revealedLine(title), 240)}</span>
      {resolved === undefined ? (
        <Pill tone="wait">Open</Pill>
      ) : (
        <>
          <Pill tone={tones[resolved.outcome]}>{resolved.outcome}</Pill>
          <small>
            by {resolved.who === undefined ? by[resolved.by] : cut(oneLine(resolved.who), 60)}
            {resolved.reason ? `: ${cut(oneLine(resolved.reason), 200)}` : ""}
          </small>
        </>
      )}
    </div>
  );
});
