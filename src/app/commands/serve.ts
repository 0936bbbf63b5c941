import { AppError } from "../../contract/errors.ts";
import { homeAt, homePath } from "../../core/store/home.ts";
import { type CommandInput, command } from "../../lib/command/command.ts";
import { group } from "../../lib/command/group.ts";

const DEFAULT_PORT = 4717;

const options = {
  port: { value: "N", help: `listen there (${DEFAULT_PORT}, or any free one if that is taken)` },
  host: { value: "ADDRESS", help: "listen on this address (127.0.0.1)" },
  "allow-remote": { help: "allow an address that other machines can reach; needs --allow-host" },
  "allow-host": { value: "NAME", repeat: true, help: "also answer to this name: what people type, or a proxy sends" },
  hub: { help: "also open the hub, where hosted terminals register" },
  "no-open": { help: "don't open the browser" },
} as const;

type Values = CommandInput<typeof options>["values"];

const start = command({
  name: "serve start",
  summary: "Start a server, and open its page.",
  usage: "cox serve start [options]",
  examples: ["cox serve start --no-open --port 8080"],
  words: [0, 0],
  options,
  async run({ values }, context) {
    const wishes = { ...placeOf(values), isOpening: values["no-open"] !== true, withHub: values.hub === true };
    return (await import("./serve/run.ts")).serve(wishes, context);
  },
});

const open = command({
  name: "serve open",
  summary: "A new address for a server that is running already.",
  usage: "cox serve open [options]",
  examples: ["cox serve open      a new address, in the browser"],
  words: [0, 0],
  options: { "no-open": options["no-open"] },
  async run({ values }, context) {
    const { openRunning } = await import("./serve/open.ts");
    return openRunning(homeAt(homePath(context.env)), values["no-open"] !== true, context);
  },
});

export default group({
  name: "serve",
  summary: "Show every run in the browser and over HTTP; start what is queued. Stopping it stops no run.",
  verbs: { start, open },
  otherwise: "start",
  examples: [
    "cox serve                        prints its address and opens it in the browser",
    "cox serve --no-open --port 8080",
    "cox serve open                   a new address for a server that is running already",
    'curl -H "Authorization: Bearer $(cat ~/.coxswain/server-token)" http://127.0.0.1:4717/api/v1/runs',
  ],
});

export interface Place {
  address: { host: string; port: number };
  exactPort: boolean;
  allowHosts: readonly string[];
}

/** Where to listen, and under which names. Whoever lets other machines in says so, and how they will call us. */
export function placeOf(values: Omit<Values, "no-open" | "hub">): Place {
  const { host = "127.0.0.1", port, "allow-host": allowHosts = [] } = values;
  for (const name of allowHosts) {
    if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i.test(name)) continue;
    throw new AppError("usage.invalid", `--allow-host ${JSON.stringify(name)}: not a host name (a port may follow)`);
  }
  if (!isLoopback(host) && (values["allow-remote"] !== true || allowHosts.length === 0)) {
    throw new AppError(
      "usage.invalid",
      `--host ${host}: other machines could reach it, and whoever has a token runs commands as you; if that is meant, add --allow-remote and --allow-host NAME, and put TLS in front`,
    );
  }
  return { address: { host, port: portOf(port) }, exactPort: port !== undefined, allowHosts };
}

function portOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new AppError(
    "usage.invalid",
    `--port ${JSON.stringify(text)}: not a port; use 1 to 65535, or 0 for any free one`,
  );
}

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
