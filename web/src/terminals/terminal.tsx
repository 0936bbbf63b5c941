import { Terminal } from "@xterm/xterm";
import { useEffect, useRef, useState } from "react";
import { Link } from "../router.tsx";
import { Button } from "../ui/button.tsx";
import { Check, Screen } from "../ui/parts.tsx";
import { type Line, openLine } from "./line.ts";
import { TerminalPill } from "./terminal-pill.tsx";
import { withSheets } from "./xterm-sheet.ts";
import "@xterm/xterm/css/xterm.css";
import "../style/terminals.css";

/** One terminal as it is, watched; typing is a decision of its own. */
export function TerminalScreen({ id }: { id: string }) {
  const box = useRef<HTMLDivElement>(null);
  const typing = useRef(false);
  const [mayType, setMayType] = useState(false);
  const [state, setState] = useState("unknown");
  const [lost, setLost] = useState(false);
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    const place = box.current;
    if (place === null) return;
    const terminal = new Terminal({
      disableStdin: !typing.current,
      scrollback: 5000,
      // It measures letters on a canvas, which doesn't know the page's variables.
      fontFamily: getComputedStyle(place).getPropertyValue("--mono"),
      fontSize: 13,
    });
    const removeSheets = withSheets(() => terminal.open(place));
    const line: Line = openLine(id, {
      onSize: (cols, rows) => terminal.resize(cols, rows),
      onOutput: (bytes) => terminal.write(bytes),
      onState: setState,
      onClosed: () => setLost(true),
    });
    terminal.onData((text) => {
      if (typing.current) line.type(text);
    });
    shown.set(place, terminal);
    setLost(false);
    return () => {
      shown.delete(place);
      line.close();
      terminal.dispose();
      removeSheets();
    };
  }, [id, attempt]);

  const allow = (allowed: boolean) => {
    typing.current = allowed;
    setMayType(allowed);
    const terminal = box.current === null ? undefined : shown.get(box.current);
    if (terminal === undefined) return;
    terminal.options.disableStdin = !allowed;
    if (allowed) terminal.focus();
  };
  const actions = (
    <>
      <TerminalPill state={state} />
      <Check label="Type into it" checked={mayType} onChange={allow} />
      <Link to="/terminals">All terminals</Link>
    </>
  );
  return (
    <Screen title={id} actions={actions}>
      {lost && (
        <div className="notice warn" role="status">
          {state === "unknown"
            ? "This terminal can't be reached: perhaps it ended."
            : "The line to this terminal is closed."}
          <Button onClick={() => setAttempt(attempt + 1)}>Connect again</Button>
        </div>
      )}
      <div className={`attached ${mayType ? "typing" : ""}`} ref={box} role="group" aria-label={`Terminal ${id}`} />
    </Screen>
  );
}

/** The terminal drawn in a place, for switching typing on without opening it anew. */
const shown = new WeakMap<HTMLElement, Terminal>();
