import { AppError } from "../../contract/errors.ts";
import type { RunSummary } from "../../contract/runs/run.ts";
import type { Place, Wanted } from "./place.ts";
import type { RegisteredAgents } from "./registered/registered-agent.ts";
import { contentOf, type OnRequest, Run } from "./run.ts";
import type { StartOptions } from "./start-options.ts";

/** This machine, through files and sockets. */
export interface LocalOptions {
  /** Another state folder than $COX_HOME or ~/.coxswain. */
  home?: string;
  /** The environment runs are started in; by default this program's. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Agents of your own, by name. Their runs are hosted in this process and end with it. */
  agents?: RegisteredAgents;
}

/** A server (`cox serve`), and what lets one in. */
export interface ServerOptions {
  url: string;
  token: string;
}

/** Runs like any other: recorded, in every list, and they outlive the program that started them. */
export interface Coxswain {
  start(options: StartOptions & { onRequest?: OnRequest }): Promise<Run>;
  /** A run by its id or its number (`r12`), whoever started it; with somebody who answers what it asks from now on. */
  run(id: string, options?: { onRequest?: OnRequest }): Run;
  /** The newest first. */
  list(wanted?: Wanted): Promise<RunSummary[]>;
}

export function coxswain(options: LocalOptions | ServerOptions = {}): Coxswain {
  const place = placeOf(options);
  return {
    async start({ onRequest, prompt, ...wishes }) {
      const id = await (await place).start({ ...wishes, prompt: contentOf(prompt) });
      return new Run(place, id, { runs: new Map(), onRequest });
    },
    run: (id, { onRequest } = {}) => new Run(place, id, { runs: new Map(), onRequest }),
    list: async (wanted = {}) => (await place).list(wanted),
  };
}

/** Only what is used is loaded. */
function placeOf(options: LocalOptions | ServerOptions): Promise<Place> {
  if ("url" in options && "agents" in options) {
    const message = "agents: a server can't run code of this program; register them with coxswain() on its machine";
    throw new AppError("usage.invalid", message);
  }
  const place = "url" in options ? remote(options) : local(options);
  place.catch(() => {}); // whoever uses it hears of it
  return place;
}

async function remote({ url, token }: ServerOptions): Promise<Place> {
  const { remotePlace } = await import("./remote-place.ts");
  return remotePlace(url, token);
}

async function local({ home, env = process.env, agents = {} }: LocalOptions): Promise<Place> {
  const { localPlace } = await import("./local-place.ts");
  return localPlace(home === undefined ? env : { ...env, COX_HOME: home }, agents);
}
