import {
  type AgentApp,
  type AgentContext,
  agent,
  PROTOCOL_VERSION,
  RequestError,
  type ResumeSessionRequest,
} from "@agentclientprotocol/sdk";
import { VERSION } from "../lib/base/version.ts";
import type { ConversationFiles } from "./conversation/conversation-file.ts";
import { ForkRequest } from "./conversation/fork-request.ts";
import { replay } from "./conversation/history.ts";
import { commands, readPrompt } from "./conversation/prompt.ts";
import { DemoSession } from "./conversation/session.ts";
import { changed, configOptions, modeState } from "./conversation/settings.ts";
import { newId, type Stage } from "./turn.ts";

/** The demo agent's face: which ACP requests it answers, and how. */
export function demoAgent(files: ConversationFiles, { output, speed }: Omit<Stage, "canAnswer">): AgentApp {
  const sessions = new Map<string, DemoSession>();
  const stage: Stage = { output, speed, canAnswer: false };

  const find = (sessionId: string): DemoSession => {
    const session = sessions.get(sessionId);
    if (!session) throw RequestError.sessionNotFound(sessionId);
    return session;
  };
  const reopen = ({ sessionId, cwd, mcpServers = [] }: ResumeSessionRequest) => {
    const earlier = files.load(sessionId);
    if (!earlier) throw RequestError.sessionNotFound(sessionId);
    return { cwd, mcpServers, files, earlier };
  };
  /** The response that opens a session. The commands come after it: before, the client doesn't know the session. */
  const opened = (session: DemoSession, client: AgentContext) => {
    sessions.set(session.id, session);
    setImmediate(() => {
      const update = { sessionUpdate: "available_commands_update" as const, availableCommands: commands };
      client.notify("session/update", { sessionId: session.id, update }).catch(() => {}); // the client is gone
    });
    const { id: sessionId, settings } = session;
    return { sessionId, modes: modeState(settings), configOptions: configOptions(settings) };
  };
  const set = async (client: AgentContext, sessionId: string, option: string, value: unknown) => {
    const session = find(sessionId);
    const settings = changed(session.settings, option, value);
    if (!settings) throw RequestError.invalidParams({ option, value }, `no such ${option}: ${String(value)}`);
    session.settings = settings;
    const { mode } = settings;
    if (option === "mode") {
      const update = { sessionUpdate: "current_mode_update" as const, currentModeId: mode };
      await client.notify("session/update", { sessionId, update });
    }
    const update = { sessionUpdate: "config_option_update" as const, configOptions: configOptions(settings) };
    await client.notify("session/update", { sessionId, update });
    return { configOptions: configOptions(settings) };
  };

  return (
    agent({ name: "coxswain-demo" })
      .onRequest("initialize", ({ params }) => {
        stage.canAnswer = Boolean(params.clientCapabilities?.elicitation?.form);
        return { protocolVersion: PROTOCOL_VERSION, agentCapabilities, authMethods: [], agentInfo };
      })
      // A turn must have begun before a cancellation that came in the same breath is looked at: prompt goes first.
      .onRequest("session/prompt", ({ params, client, signal }) =>
        find(params.sessionId).prompt(readPrompt(params.prompt), client, signal, stage),
      )
      .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId)?.cancel())
      .onRequest("session/new", ({ params: { cwd, mcpServers }, client }) =>
        opened(new DemoSession({ cwd, mcpServers, files }), client),
      )
      .onRequest("session/load", async ({ params, client }) => {
        const session = new DemoSession(reopen(params));
        for (const entry of session.history.entries) {
          await client.notify("session/update", { sessionId: session.id, update: replay(entry) });
        }
        return opened(session, client);
      })
      .onRequest("session/resume", ({ params, client }) => opened(new DemoSession(reopen(params)), client))
      .onRequest("session/fork", ForkRequest, ({ params, client }) => {
        const { earlier, ...rest } = reopen(params);
        const fork = new DemoSession({ ...rest, earlier: { ...earlier, sessionId: newId("demo") } });
        fork.save();
        return opened(fork, client);
      })
      .onRequest("session/set_mode", async ({ params, client }) => {
        await set(client, params.sessionId, "mode", params.modeId);
      })
      .onRequest("session/set_config_option", ({ params, client }) =>
        set(client, params.sessionId, params.configId, params.value),
      )
  );
}

/** `fork` is not in the stable protocol yet; agents announce it here all the same. */
const sessionCapabilities = { resume: {}, fork: {} };
const agentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true },
  mcpCapabilities: { http: true },
  sessionCapabilities,
};
const agentInfo = { name: "coxswain-demo", title: "Demo agent", version: VERSION };
