/**
 * A path as agents.json writes it: `~`, `$VAR`, `${VAR}` and `${VAR:-otherwise}`. A variable that isn't set makes the path
 * meaningless, and it is dropped: `$XDG_CONFIG_HOME/opencode` is not `/opencode`.
 */
export function expandPath(path: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  let isKnown = true;
  const look = (name: string, otherwise?: string): string => {
    const value = env[name];
    if (value !== undefined && value !== "") return value;
    if (otherwise === undefined) isKnown = false;
    return otherwise ?? "";
  };
  const filled = path.replace(VARIABLE, (_, braced?: string, otherwise?: string, plain?: string) =>
    look(braced ?? plain ?? "", otherwise),
  );
  const whole = filled === "~" || filled.startsWith("~/") ? `${look("HOME")}${filled.slice(1)}` : filled;
  return isKnown ? whole : undefined;
}

const VARIABLE = /\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+))/g;
