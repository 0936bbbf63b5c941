import { useState } from "react";
import { plural } from "../../../src/contract/words/figures.ts";
import { server } from "../api/client.ts";
import { address, go } from "../router.tsx";
import { Button } from "../ui/button.tsx";
import { attempt } from "../ui/toast.tsx";
import type { Comment } from "./file-panel.tsx";

/** All comments go to the agent in one message. */
export function CommentBar({
  run,
  comments,
  onChange,
}: {
  run: string;
  comments: readonly Comment[];
  onChange: () => void;
}) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  if (comments.length === 0) return null;
  const send = async () => {
    setBusy(true);
    const sending = server.call("POST /runs/{run}/review/send", { params: { run }, body: { text: text.trim() } });
    await attempt(
      sending.then(({ run_id }) => {
        onChange();
        go(address("runs", run_id));
      }),
    );
    setBusy(false);
  };
  return (
    <form
      className="comment-bar"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <b>{plural(comments.length, "comment")}</b>
      <input
        aria-label="Words above the comments"
        placeholder="Something about all of it (optional)"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button kind="main" type="submit" icon="send" disabled={busy}>
        Send to the agent
      </Button>
    </form>
  );
}
