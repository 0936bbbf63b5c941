import { useLayoutEffect, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";

/** A no, with a reason. What was typed is kept where the no is not taken. */
export function DenyForm({
  over,
  isTold,
  name,
  onDeny,
  onBack,
}: {
  over: boolean;
  /** Some agents can only be told no: then it is for the record. */
  isTold: boolean;
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
        placeholder={
          isTold ? "Why not? The agent is told. (optional)" : "Why not? For the record: it can't be told. (optional)"
        }
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
