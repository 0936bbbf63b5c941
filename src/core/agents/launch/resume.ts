import { AppError } from "../../../contract/errors.ts";
import { type AgentDefinition, displayName } from "../registry/definition.ts";
import { processPerTurn } from "../registry/protocols.ts";
import { sessionArguments } from "./turn-words.ts";

/** How an earlier conversation goes on. */
export type ResumePlan =
  /** The protocol loads it. */
  | { by: "native"; sessionId: string }
  /** The program is told on its command line. */
  | { by: "flag"; sessionId: string; args: string[] }
  /** It begins anew, and is told what was said before. */
  | { by: "context"; sessionId: string };

export function planResume(
  definition: AgentDefinition,
  { sessionId, otherAgent = false }: { sessionId: string; otherAgent?: boolean },
): ResumePlan {
  const { native_session_resume, resume_flag, can_recover } = definition.session_config;
  if (!can_recover) {
    const message = `${displayName(definition)} never goes on with an earlier conversation (can_recover); start a new one`;
    throw new AppError("run.not_resumable", message);
  }
  if (otherAgent) return { by: "context", sessionId };
  if (native_session_resume && !processPerTurn.has(definition.protocol)) return { by: "native", sessionId };
  if (resume_flag === "") return { by: "context", sessionId };
  return { by: "flag", sessionId, args: sessionArguments(resume_flag, sessionId) };
}
