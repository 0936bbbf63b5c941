import {
  type AgentApp,
  type AgentContext,
  agent,
  type ContentBlock,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import { AppError } from "../../contract/errors.ts";
import type { ConfigOption, Content } from "../../contract/events.ts";
import { VERSION } from "../../lib/base/version.ts";
import { type AcpRuns, AcpSession } from "./acp-session.ts";
import { configOptions, replayOf } from "./acp-updates.ts";

/** How long an editor waits for what can be chosen, before it gets a session without. */
const OPTIONS_LIMIT_MS = 10_000;

/**
 * Coxswain as an agent for editors: each of their conversations is a run of ours, so it has a history, meets the rules, and its
 * requests are in the inbox, where they can be answered too.
 */
export function acpAgent(runs: AcpRuns, title: string): { app: AgentApp; detach(): Promise<void> } {
  const sessions = new Map<string, AcpSession>();
  let canAnswer = false;

  const find = (sessionId: string): AcpSession => {
    const session = sessions.get(sessionId);
    if (session === undefined) throw RequestError.sessionNotFound(sessionId);
    return session;
  };
  const begin = async (client: AgentContext, id: string, run: string, after: number) => {
    const session = new AcpSession(runs, client, { id, run, canAnswer });
    sessions.set(id, session);
    await session.open(after, OPTIONS_LIMIT_MS);
    return session;
  };
  const reopen = async (client: AgentContext, sessionId: string, isTold: boolean) => {
    const { run, events, lastSeq } = found(() => runs.history(sessionId), sessionId);
    let options: readonly ConfigOption[] = [];
    for (const event of events) {
      if (event.type === "config_options") options = event.options;
      if (!isTold) continue;
      for (const update of replayOf(event)) await client.notify("session/update", { sessionId, update });
    }
    const session = new AcpSession(runs, client, { id: sessionId, run, canAnswer });
    sessions.set(sessionId, session);
    void session.open(lastSeq, 0);
    return { configOptions: configOptions(options), modes: modesOf(options) };
  };

  const app = agent({ name: "coxswain" })
    .onRequest("initialize", ({ params }) => {
      canAnswer = Boolean(params.clientCapabilities?.elicitation?.form);
      const agentInfo = { name: "coxswain", title, version: VERSION };
      return { protocolVersion: PROTOCOL_VERSION, agentCapabilities, authMethods: [], agentInfo };
    })
    .onRequest("session/new", async ({ params: { cwd, mcpServers }, client }) => {
      const run = await refusing(() => runs.start({ cwd, mcpServers }));
      const { id: sessionId, options } = await begin(client, run, run, 0);
      return { sessionId, configOptions: configOptions(options), modes: modesOf(options) };
    })
    .onRequest("session/load", ({ params, client }) => reopen(client, params.sessionId, true))
    .onRequest("session/resume", ({ params, client }) => reopen(client, params.sessionId, false))
    .onRequest("session/prompt", async ({ params }) => {
      const session = find(params.sessionId);
      const stopReason = await refusing(() => session.prompt(params.prompt.map((block) => contentOf(runs, block))));
      return { stopReason };
    })
    .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId)?.cancel())
    .onRequest("session/set_mode", async ({ params }) => {
      const session = find(params.sessionId);
      const mode = session.options.find(({ category }) => category === "mode");
      await refusing(() => session.setOption(mode?.id ?? "mode", params.modeId));
    })
    .onRequest("session/set_config_option", async ({ params }) => {
      const session = find(params.sessionId);
      await refusing(() => session.setOption(params.configId, params.value));
      const changed = session.options.map((option) =>
        option.id === params.configId ? { ...option, value: params.value } : option,
      );
      return { configOptions: configOptions(changed) };
    });
  return {
    app,
    detach: async () => void (await Promise.all([...sessions.values()].map((session) => session.detach()))),
  };
}

const agentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  mcpCapabilities: { http: true, sse: true },
  sessionCapabilities: { resume: {} },
};

function modesOf(options: readonly ConfigOption[]) {
  const mode = options.find(({ category }) => category === "mode");
  if (mode?.choices === undefined || typeof mode.value !== "string") return undefined;
  const availableModes = mode.choices.map(({ value, label, description }) => ({ id: value, name: label, description }));
  return { currentModeId: mode.value, availableModes };
}

function contentOf(runs: AcpRuns, block: ContentBlock): Content {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return { type: block.type, mimeType: block.mimeType, sha256: runs.attach(Buffer.from(block.data, "base64")) };
    case "resource_link":
      return { type: "text", text: `[${block.name}](${block.uri})` };
    case "resource":
      return {
        type: "text",
        text: "text" in block.resource ? `${block.resource.uri}:\n${block.resource.text}` : `[${block.resource.uri}]`,
      };
  }
}

/** What we refuse is said to the editor in our words. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw RequestError.internalError({ code: error.code, ...error.details }, error.message);
  }
}

function found<T>(look: () => T, sessionId: string): T {
  try {
    return look();
  } catch (error) {
    if (error instanceof AppError) throw RequestError.sessionNotFound(sessionId);
    throw error;
  }
}
