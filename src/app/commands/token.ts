import { AppError } from "../../contract/errors.ts";
import { formatAge } from "../../contract/words/figures.ts";
import { attribution } from "../../core/runs/run-access.ts";
import { homeAt, homePath, openHome } from "../../core/store/home.ts";
import { type Context, command } from "../../lib/command/command.ts";
import { group } from "../../lib/command/group.ts";
import { renderTable } from "../../lib/command/table.ts";
import { oneLine, printableJson } from "../../lib/text/printable.ts";

const asJson = { help: "print JSON" } as const;

const makeCommand = command({
  name: "token new",
  summary: "Make a token; it is shown this once.",
  usage: "cox token new NAME [--scope SCOPE]",
  words: [1, 1],
  options: {
    scope: { value: "SCOPE", help: "read (default), import (only finished runs made elsewhere), or all" },
    json: asJson,
  },
  examples: [
    "cox token new grafana                    may look at everything, and touch nothing",
    "cox token new cluster --scope import     may only hand in finished runs",
    "cox token new phone --scope all          may do all that you may",
  ],
  run: async ({ values, positionals: [name = ""] }, context) => make(await loadTokens(), name, values, context),
});

const listCommand = command({
  name: "token ls",
  summary: "List tokens, and when each was used last.",
  usage: "cox token ls [--json]",
  examples: ["cox token ls"],
  words: [0, 0],
  options: { json: asJson },
  async run({ values }, context) {
    const { listTokens } = await loadTokens();
    return list(listTokens(homeAt(homePath(context.env))), values.json === true, context);
  },
});

const revokeCommand = command({
  name: "token revoke",
  summary: "Revoke tokens, and end what they opened.",
  usage: "cox token revoke ID...",
  words: [1, Number.POSITIVE_INFINITY],
  options: {},
  examples: ["cox token revoke 3f9c0a1b2d4e"],
  async run({ positionals: ids }, { env, clock }) {
    const { revokeToken } = await loadTokens();
    for (const id of ids) revokeToken(homeAt(homePath(env)), id, attribution(), clock.now());
    return 0;
  },
});

export default group({
  name: "token",
  summary: "Tokens for programs that use the server (`cox serve`). Its own account needs none.",
  verbs: { new: makeCommand, ls: listCommand, revoke: revokeCommand },
  examples: ["cox token new grafana", "cox token new phone --scope all", "cox token revoke 3f9c0a1b2d4e"],
});

type Tokens = typeof import("../../faces/server/access/tokens.ts");
const loadTokens = (): Promise<Tokens> => import("../../faces/server/access/tokens.ts");

/** The value alone on stdout, so that it can be piped into a file or a secret store. */
function make(
  { makeToken }: Tokens,
  name: string,
  values: { scope?: string; json?: boolean },
  { env, clock, stdout, stderr }: Context,
): number {
  const made = makeToken(
    openHome(homePath(env)),
    { name, scope: scopeOf(values.scope), by: attribution() },
    clock.now(),
  );
  if (values.json) {
    stdout.write(`${printableJson(made)}\n`);
    return 0;
  }
  stdout.write(`${made.token}\n`);
  stderr.write(
    `token ${made.id} (${made.scope}): shown this once; take it back with \`cox token revoke ${made.id}\`\n`,
  );
  return 0;
}

function scopeOf(text = "read"): "read" | "import" | "all" {
  if (text === "read" || text === "import" || text === "all") return text;
  throw new AppError("usage.invalid", `--scope ${text}: choose read, import or all`);
}

function list(items: ReturnType<Tokens["listTokens"]>, json: boolean, { clock, stdout }: Context): number {
  if (json) {
    for (const item of items) stdout.write(`${printableJson(item)}\n`);
    return 0;
  }
  const age = (at: string) => `${formatAge(clock.now() - Date.parse(at))} ago`;
  const rows = items.map(({ id, name, scope, created, last_used }) => [
    id,
    scope,
    oneLine(name),
    `made ${age(created)}`,
    last_used === undefined ? "never used" : `used ${age(last_used)}`,
  ]);
  stdout.write(
    rows.length === 0 ? "no tokens; make one with `cox token new NAME`\n" : renderTable(rows, stdout.columns),
  );
  return 0;
}
