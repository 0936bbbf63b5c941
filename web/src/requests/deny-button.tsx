import { useLayoutEffect, useRef } from "react";
import { Button } from "../ui/button.tsx";
import { keycap, type Manner } from "./manner.ts";

/**
 * Opens the way to say no. Once it is pressed it counts, even where the list moves before the pointer is released: whoever
 * meant to write a reason must not write keys.
 */
export function DenyButton({
  manner,
  returns,
  onPress,
  children,
}: {
  manner: Manner;
  /** Back from the form: the focus comes back too. */
  returns: boolean;
  onPress: () => void;
  children: string;
}) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (returns) button.current?.focus();
  }, []);
  return (
    <Button
      ref={button}
      kind="danger"
      data-do="deny"
      aria-disabled={manner.over || undefined}
      {...keycap(manner, "d")}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onClick={() => !manner.over && onPress()}
    >
      {children}
    </Button>
  );
}
