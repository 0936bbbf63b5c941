/** Another provider of models than the agent's own, as somebody chose it. */
export interface ChosenProvider {
  name: string;
  /** The variable with its key; without one it needs none. */
  envKey: string | undefined;
}

/**
 * What a config.toml says of `model_provider`, also by way of `profile`. Only what is needed of TOML is read: tables, and strings
 * in them; a table in one line, too. Undefined where nothing is chosen, or one that isn't described there: the agent's own.
 */
export function chosenProvider(toml: string): ChosenProvider | undefined {
  const values = stringsOf(toml);
  const profile = values.get("profile");
  const name = (profile && values.get(`profiles.${profile}.model_provider`)) ?? values.get("model_provider");
  if (name === undefined) return undefined;
  const table = `model_providers.${name}.`;
  const isDescribed = [...values.keys()].some((key) => key.startsWith(table));
  return isDescribed ? { name, envKey: values.get(`${table}env_key`) } : undefined;
}

function stringsOf(toml: string): Map<string, string> {
  const values = new Map<string, string>();
  let table = "";
  for (const line of toml.split(/\r?\n/)) {
    const [, header] = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line) ?? [];
    if (header !== undefined) {
      table = `${pathOf(header)}.`;
      continue;
    }
    const [, key, value = ""] = /^\s*([\w."'-]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (key === undefined) continue;
    const path = `${table}${pathOf(key)}`;
    const text = stringAt(value);
    if (text !== undefined) values.set(path, text);
    if (value.startsWith("{")) for (const [inner, said] of inlineOf(value)) values.set(`${path}.${inner}`, said);
  }
  return values;
}

/** `a."b"` is `a.b`. */
const pathOf = (key: string) => key.replace(/["'\s]/g, "");

function stringAt(value: string): string | undefined {
  const [, double, single] = /^(?:"([^"\\]*)"|'([^']*)')/.exec(value) ?? [];
  return double ?? single;
}

function inlineOf(table: string): [key: string, value: string][] {
  const pairs = table.matchAll(/([\w-]+)\s*=\s*(?:"([^"\\]*)"|'([^']*)')/g);
  return [...pairs].map(([, key = "", double, single]) => [key, double ?? single ?? ""]);
}
