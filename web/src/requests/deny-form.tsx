import { useLayoutEffect, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";

/** A no, with a reason that the agent is told. What was typed is kept where the no is not taken. */
export function DenyForm({
  over,
  name,
  onDeny,
  onBack,
}: {
  over: boolean;
  name: string;
  onDeny: (reason: string) => void;
  onBack: () => void;
}) {
  const [reason, setReason] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  return (
    <form
      className="request-deny"
      onSubmit={(event) => {
        event.preventDefault();
        if (!over) onDeny(reason.trim());
      }}
    >
      <input
        ref={input}
        aria-label="Why not"
        placeholder="Why not? The agent is told. (optional)"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onBack();
        }}
      />
      <Button kind="danger" type="submit" aria-disabled={over || undefined}>
        {name}
      </Button>
      <Button onClick={onBack}>Back</Button>
    </form>
  );
}
