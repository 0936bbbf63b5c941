import { AppError } from "../../../contract/errors.ts";
import { type AgentDefinition, displayName } from "../registry/definition.ts";

/** How an earlier conversation goes on. */
export type ResumePlan =
  /** The protocol loads it. */
  | { by: "native"; sessionId: string }
  /** The program is told on its command line. */
  | { by: "flag"; sessionId: string; args: [flag: string, sessionId: string] }
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
  if (native_session_resume) return { by: "native", sessionId };
  if (resume_flag === "") return { by: "context", sessionId };
  // The token comes from what an agent printed: it must not become a flag of its own.
  if (sessionId.startsWith("-")) throw new AppError("run.not_resumable", `session id ${sessionId}: begins with "-"`);
  return { by: "flag", sessionId, args: [resume_flag, sessionId] };
}
