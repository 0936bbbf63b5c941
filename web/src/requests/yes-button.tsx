import { type ReactNode, useEffect, useRef } from "react";
import { pressCounted, wasSteady, watchStand } from "../base/steady.ts";
import { Button } from "../ui/button.tsx";
import type { Manner } from "./manner.ts";

/**
 * A way to say yes. It says nothing where it had just moved under the pointer, nor while something of what it allows is not
 * shown or below the edge. It is never `disabled`: that would take the focus away from it, and from the person.
 */
export function YesButton({
  manner,
  onYes,
  children,
  ...rest
}: {
  manner: Manner;
  onYes: () => void;
  children: ReactNode;
  kind?: "main";
  icon?: "check";
  title?: string;
  shortcut?: string;
  shortcutRests?: boolean;
  type?: "submit";
  form?: string;
  "data-do"?: string;
  "data-choice"?: number;
}) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => (button.current === null ? undefined : watchStand(button.current)), []);
  return (
    <Button
      ref={button}
      aria-disabled={manner.over || manner.isCut || undefined}
      onClick={(event) => {
        event.preventDefault();
        if (manner.over) return;
        // A key, or a program that reads the page aloud, means the button itself, wherever it stands.
        const byPointer = event.detail > 0;
        if (byPointer && !wasSteady(event.currentTarget)) manner.say("It had just moved. Press again.");
        else if (manner.isCut) manner.say("Show all of it first.");
        else if (manner.showMore !== undefined) {
          if (byPointer) pressCounted();
          manner.showMore();
          manner.say("There was more below. Press again when you have read it.");
        } else {
          if (byPointer) pressCounted();
          onYes();
        }
      }}
      {...rest}
    >
      {children}
    </Button>
  );
}
