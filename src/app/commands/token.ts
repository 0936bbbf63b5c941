import { AppError } from "../../contract/errors.ts";
import { formatAge } from "../../contract/words/figures.ts";
import { attribution } from "../../core/runs/run-access.ts";
import { homeAt, homePath, openHome } from "../../core/store/home.ts";
import { type CommandInput, type Context, command } from "../../lib/command/command.ts";
import { renderTable } from "../../lib/command/table.ts";
import { chooseVerb, type Verb } from "../../lib/command/verbs.ts";
import { oneLine, printableJson } from "../../lib/text/printable.ts";

const options = {
  scope: { value: "SCOPE", help: "read (default), import (only finished runs made elsewhere), or all" },
  json: { help: "print JSON" },
} as const;

const verbs = {
  new: { usage: "cox token new NAME [--scope SCOPE]", words: [1, 1], options: ["scope", "json"] },
  ls: { usage: "cox token ls [--json]", words: [0, 0], options: ["json"] },
  revoke: { usage: "cox token revoke ID…", words: [1, Number.POSITIVE_INFINITY], options: [] },
} as const satisfies Record<string, Verb<keyof typeof options>>;

type Values = CommandInput<typeof options>["values"];

export default command({
  name: "token",
  summary: "Tokens for programs that use the server (`cox serve`). Its own account needs none.",
  usage: "cox token new|ls|revoke [options]",
  options,
  examples: [
    "cox token new grafana                    may look at everything, and touch nothing",
    "cox token new cluster --scope import     may only hand in finished runs",
    "cox token new phone --scope all          may do all that you may",
    "cox token revoke 3f9c0a1b2d4e",
  ],
  async run({ values, positionals }, context) {
    const { verb, words } = chooseVerb("token", verbs, { values, positionals });
    const tokens = await import("../../faces/server/access/tokens.ts");
    const home = homeAt(homePath(context.env));
    switch (verb) {
      case "new":
        return make(tokens, words[0] ?? "", values, context);
      case "ls":
        return list(tokens.listTokens(home), values, context);
      case "revoke":
        for (const id of words) tokens.revokeToken(home, id, attribution(), context.clock.now());
        return 0;
    }
  },
});

type Tokens = typeof import("../../faces/server/access/tokens.ts");

/** The value alone on stdout, so that it can be piped into a file or a secret store. */
function make({ makeToken }: Tokens, name: string, values: Values, { env, clock, stdout, stderr }: Context): number {
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

function list(items: ReturnType<Tokens["listTokens"]>, values: Values, { clock, stdout }: Context): number {
  if (values.json) {
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
