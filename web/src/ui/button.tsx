import type { ButtonHTMLAttributes } from "react";
import { Icon, type IconName } from "./icon.tsx";

type Kind = "main" | "plain" | "quiet" | "danger";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind;
  icon?: IconName;
  /** The key that does the same. */
  shortcut?: string;
}

export function Button({ kind = "plain", icon, shortcut, children, className = "", ...rest }: ButtonProps) {
  return (
    <button type="button" className={`button ${kind} ${className}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
      {shortcut && <kbd aria-hidden="true">{shortcut}</kbd>}
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
