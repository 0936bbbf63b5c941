import { type ReactNode, useEffect, useRef } from "react";
import { useKeys } from "../base/keys.ts";
import { IconButton } from "./button.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
  /** Without a head: the command bar. */
  bare?: boolean;
}

/** The browser's own dialog: it holds the focus, and Escape closes it. */
export function Dialog({ title, onClose, children, wide = false, bare = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useKeys(title, [], true);
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    // What the dialog was opened for; the browser would take its first button.
    dialog?.querySelector<HTMLElement>("[data-focus]")?.focus();
    return () => {
      dialog?.close();
      // What had the focus may be gone by now; the body is no place for it.
      const back = before instanceof HTMLElement && before.isConnected ? before : document.getElementById("content");
      back?.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={`dialog ${wide ? "wide" : ""} ${bare ? "bare" : ""}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <div className="dialog-body">
        {!bare && (
          <header>
            <h2>{title}</h2>
            <IconButton icon="cross" label="Close" onClick={onClose} />
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
