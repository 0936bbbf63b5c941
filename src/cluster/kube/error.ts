import { AppError } from "../../contract/errors.ts";

/** What the API server answered when it did not do what it was asked. */
export class KubeError extends AppError {
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Kubernetes' own word: NotFound, AlreadyExists, Conflict, Expired, Invalid, Forbidden … */
  readonly reason: string;
  /** How long it asks us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    answer: { status: number; reason: string; retryAfterMs?: number },
    options?: { cause?: unknown },
  ) {
    super(answer.status === 0 ? "cluster.unreachable" : "cluster.refused", message, { status: answer.status }, options);
    this.status = answer.status;
    this.reason = answer.reason;
    this.retryAfterMs = answer.retryAfterMs;
  }
}

export const hasStatus = (error: unknown, status: number): error is KubeError =>
  error instanceof KubeError && error.status === status;
export const isNotFound = (error: unknown): boolean => hasStatus(error, 404);
export const isConflict = (error: unknown): boolean => hasStatus(error, 409);
/** The history that was asked for is gone: only a new list helps. */
export const isExpired = (error: unknown): boolean => hasStatus(error, 410);

/** An answer of the API server that is no success, as text: a Status object, or whatever a proxy said. */
export function answerError(what: string, status: number, body: string, retryAfter: string | undefined): KubeError {
  const said = statusOf(body);
  const seconds = Number(retryAfter);
  const message = `${what}: ${said.message ?? (body.slice(0, 300).trim() || `HTTP ${status}`)}`;
  const retryAfterMs = retryAfter !== undefined && seconds >= 0 ? Math.min(seconds, 300) * 1000 : undefined;
  return new KubeError(message, { status, reason: said.reason ?? "", retryAfterMs });
}

function statusOf(body: string): { message?: string; reason?: string } {
  try {
    const { message, reason } = JSON.parse(body) as Record<string, unknown>;
    return {
      ...(typeof message === "string" ? { message } : {}),
      ...(typeof reason === "string" ? { reason } : {}),
    };
  } catch {
    return {};
  }
}
