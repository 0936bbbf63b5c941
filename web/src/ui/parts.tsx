import { type ReactNode, useEffect, useId, useState } from "react";
import { setTitle } from "../api/attention.ts";
import { problemText } from "../api/client.ts";
import { Button, IconButton } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { say } from "./toast.tsx";

/** Small pieces that every screen uses. */

interface ScreenProps {
  title: string;
  /** How many; the tab's title counts for itself. */
  count?: number;
  actions?: ReactNode;
  children: ReactNode;
}

export function Screen({ title, count = 0, actions, children }: ScreenProps) {
  useEffect(() => setTitle(title), [title]);
  return (
    <main className="screen" id="content" tabIndex={-1}>
      <header className="screen-head">
        <h1>{count === 0 ? title : `${title} (${count})`}</h1>
        <div className="screen-actions">{actions}</div>
      </header>
      {children}
    </main>
  );
}

export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      <div className="empty-text">{children}</div>
    </div>
  );
}

/** The shape of what is to come, in lines. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, i) => (
        <div key={i} className={`skeleton-line w${(i * 37) % 4}`} />
      ))}
    </div>
  );
}

export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div className="notice bad" role="alert">
      <Icon name="warn" />
      <span>{problemText(error)}</span>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** What a question brought: its skeleton, its problem, or what it is. */
export function Loaded<T>({
  answer,
  lines,
  children,
}: {
  answer: { data?: T; error?: unknown; loading: boolean; reload: () => void };
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  if (answer.data !== undefined) return children(answer.data);
  if (answer.error !== undefined) return <Failed error={answer.error} onRetry={answer.reload} />;
  return <Skeleton lines={lines ?? 4} />;
}

export function Field({
  label,
  hint,
  hidden = false,
  children,
}: {
  label: ReactNode;
  hint?: string;
  /** Said above already: only read out. */
  hidden?: boolean;
  children: (id: string) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} className={hidden ? "hidden-text" : undefined}>
        {label}
      </label>
      {children(id)}
      {hint && <small>{hint}</small>}
    </div>
  );
}

export function Check({
  label,
  hint,
  checked,
  onChange,
  disabled,
}: {
  label: string;
  hint?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        {hint && <small>{hint}</small>}
      </span>
    </label>
  );
}

export function Segments<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    say("The browser did not allow copying.", true);
  }
}

export function CopyButton({ text, label = "Copy" }: { text: string | (() => string); label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await copyText(typeof text === "string" ? text : text());
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return <IconButton icon={done ? "check" : "copy"} label={label} onClick={() => void copy()} />;
}

/** How full something is. */
export function Ring({ percent, label }: { percent: number; label: string }) {
  const around = 2 * Math.PI * 6;
  const level = percent >= 90 ? "full" : percent >= 70 ? "near" : "";
  return (
    <span className={`ring ${level}`} role="img" aria-label={label} title={label}>
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" className="ring-back" />
        <circle
          cx="8"
          cy="8"
          r="6"
          className="ring-fill"
          strokeDasharray={`${(Math.min(percent, 100) / 100) * around} ${around}`}
          transform="rotate(-90 8 8)"
        />
      </svg>
      <span className="ring-text">{Math.round(percent)}%</span>
    </span>
  );
}
