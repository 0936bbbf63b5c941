import { useEffect } from "react";
import { server } from "../api/client.ts";
import { useStore } from "../base/store.ts";
import { address, go } from "../router.tsx";
import { ask } from "../ui/ask.tsx";
import { attempt, say } from "../ui/toast.tsx";
import type { Conversation } from "./conversation.ts";
import { resendState } from "./resend-state.ts";

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

async function resend(conversation: Conversation, { turn, text }: { turn: string; text: string }): Promise<void> {
  const { folded, detail } = conversation.view.get();
  const can = folded.latest.can ?? detail?.can ?? [];
  if (!can.includes("fork")) return say("This agent can't go back to an earlier prompt. Send it as a new one.", true);
  const words = await ask({
    title: "Edit and send again",
    text: "The conversation goes on from here as a new run; this one stays as it is.",
    yes: "Send",
    input: { label: "Prompt", value: text, required: true },
  });
  if (words === undefined) return;
  const body = { content: [{ type: "text" as const, text: words }], ...(turn === "" ? {} : { turn }) };
  await attempt(
    server
      .call("POST /runs/{run}/fork", { params: { run: conversation.run }, body })
      .then(({ run_id }) => go(address("runs", run_id))),
  );
}
