import type { ConfigOption } from "../../../../src/contract/events.ts";
import { server } from "../../api/client.ts";
import { cut, oneLine } from "../../base/safe-text.ts";
import { useStore } from "../../base/store.ts";
import { attempt } from "../../ui/toast.tsx";
import type { Conversation } from "../conversation.ts";

/** Model, mode, effort: whatever the agent lets one choose while it lives. */
export function Options({ conversation }: { conversation: Conversation }) {
  const { detail, folded } = useStore(conversation.view);
  const options = folded.latest.options ?? (detail?.options as ConfigOption[] | undefined) ?? [];
  const closed = folded.transcript.state.life === "closed";
  const model = options.some(({ category }) => category === "model");
  return (
    <>
      {!model && detail?.model && <span className="fact">{cut(detail.model, 40)}</span>}
      {options
        .filter(({ category, choices }) => category !== "other" && (choices?.length ?? 0) > 0)
        .map((option) => (
          <select
            key={option.id}
            className="option"
            aria-label={oneLine(option.name)}
            title={oneLine(option.name)}
            disabled={closed}
            value={String(option.value)}
            onChange={(event) =>
              void attempt(
                server.call("PUT /runs/{run}/options/{option}", {
                  params: { run: conversation.run, option: option.id },
                  body: { value: event.target.value },
                }),
              )
            }
          >
            {option.choices?.map(({ value, label }) => (
              <option key={value} value={value}>
                {cut(oneLine(label), 60)}
              </option>
            ))}
          </select>
        ))}
    </>
  );
}
