import type { ButtonHTMLAttributes, Ref } from "react";
import { singleKeys } from "../base/single-keys.ts";
import { useStore } from "../base/store.ts";
import { Icon, type IconName } from "./icon.tsx";

type Kind = "main" | "plain" | "quiet" | "danger";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind;
  icon?: IconName;
  /** The key that does the same. */
  shortcut?: string;
  /** That key does something else just now. It is not shown, but keeps its room: nothing moves when it comes back. */
  shortcutRests?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({
  kind = "plain",
  icon,
  shortcut,
  shortcutRests = false,
  children,
  className = "",
  ...rest
}: ButtonProps) {
  const hasKeys = useStore(singleKeys);
  return (
    <button type="button" className={`button ${kind} ${className}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
      {shortcut && hasKeys && (
        <kbd aria-hidden="true" className={shortcutRests ? "rests" : undefined}>
          {shortcut}
        </kbd>
      )}
    </button>
  );
}

/** Only a picture: it needs a name for those who don't see it. */
export function IconButton({ icon, label, className = "", ...rest }: { icon: IconName; label: string } & ButtonProps) {
  return (
    <button type="button" className={`icon-button ${className}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
