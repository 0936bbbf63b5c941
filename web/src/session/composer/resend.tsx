import { useEffect } from "react";
import type { Content } from "../../../../src/contract/events.ts";
import { server } from "../../api/client.ts";
import { useStore } from "../../base/store.ts";
import { address, go } from "../../router.tsx";
import { type Resent, resendState } from "../../transcript/resend-state.ts";
import { ask } from "../../ui/ask.tsx";
import { attempt } from "../../ui/toast.tsx";
import type { Conversation } from "../conversation.ts";

/** An earlier prompt, changed: the conversation branches there, as a run of its own. */
export function Resend({ conversation }: { conversation: Conversation }) {
  const wanted = useStore(resendState);
  useEffect(() => {
    if (wanted === undefined || wanted.run !== conversation.run) return;
    resendState.set(undefined);
    void resend(conversation, wanted);
  }, [wanted, conversation]);
  return null;
}

async function resend(conversation: Conversation, { seq, text, others }: Resent): Promise<void> {
  const words = await ask({
    title: "Edit and send again",
    text: "The conversation goes on from here as a new run; this one stays as it is.",
    yes: "Send",
    input: { label: "Prompt", value: text, required: true },
  });
  if (words === undefined) return;
  const content: Content[] = [{ type: "text", text: words }, ...others];
  await attempt(branch(conversation, seq, content).then((run) => go(address("runs", run))));
}

/** From the end of the turn before it; without one, from nothing: the same task begins anew. */
async function branch(conversation: Conversation, seq: number, content: Content[]): Promise<string> {
  const { detail, firstSeq } = conversation.view.get();
  if (turnBefore(conversation, seq) === undefined && firstSeq > 1) await conversation.loadEarlier();
  const turn = turnBefore(conversation, seq);
  if (turn !== undefined) {
    const params = { run: conversation.run };
    return (await server.call("POST /runs/{run}/fork", { params, body: { turn, content } })).run_id;
  }
  const { agent, project, task, cwd: workspace = "" } = detail ?? {};
  const place = { agent, project, task, workspace };
  return (await server.call("POST /runs", { body: { ...place, prompt: content } })).run_id;
}

function turnBefore(conversation: Conversation, seq: number): string | undefined {
  const { rows } = conversation.view.get().folded;
  const ended = rows.findLast((row) => row.seq < seq && row.kind === "item" && row.item.kind === "end");
  return ended?.kind === "item" && ended.item.kind === "end" ? ended.item.complete.turn : undefined;
}
