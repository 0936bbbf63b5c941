/**
 * Operations that are refused or broken throw an AppError. Work that failed is a value (an event, a run status), not an
 * AppError. Nothing ever branches on a message's text: the code is the name.
 */
const table = {
  // code                   HTTP  exit
  "usage.invalid": [400, 2],
  "config.invalid": [400, 2],
  "id.invalid": [400, 2],
  "run.not_found": [404, 1],
  "run.ambiguous": [409, 2],
  "run.not_live": [409, 1],
  "run.live": [409, 1],
  "run.asks": [409, 3],
  "run.not_resumable": [409, 1],
  "task.not_found": [404, 1],
  "task.exists": [409, 1],
  "task.invalid": [400, 2],
  "task.state": [409, 1],
  "project.unknown": [404, 1],
  "request.not_found": [404, 1],
  "request.resolved": [409, 1],
  "rule.not_found": [404, 1],
  "run.exists": [409, 1],
  "run.imported": [409, 1],
  "session.busy": [409, 1],
  "agent.unknown": [404, 2],
  "agent.not_installed": [409, 127],
  "agent.not_executable": [409, 126],
  "agent.not_ready": [409, 1],
  "agent.failed": [502, 1],
  "profile.not_found": [404, 2],
  "workspace.invalid": [400, 2],
  "file.not_found": [404, 1],
  "workspace.busy": [409, 1],
  "workspace.conflict": [409, 1],
  "command.unsupported": [409, 1],
  "host.unreachable": [503, 1],
  "store.unwritable": [500, 1],
  "store.damaged": [500, 1],
  "store.full": [507, 1],
  "store.shared": [500, 1],
  "bus.too_large": [413, 1],
  "dependency.cycle": [400, 2],
  "dependency.missing": [409, 1],
  "template.invalid": [400, 2],
  "terminal.not_ready": [503, 1],
  "terminal.exited": [410, 1],
  "terminal.no_driver": [404, 1],
  "terminal.busy": [409, 1],
  "limit.exceeded": [429, 1],
  "platform.unsupported": [501, 1],
  "http.invalid": [400, 2],
  "http.forbidden": [403, 1],
  "http.not_found": [404, 1],
  "http.method": [405, 1],
  "http.media_type": [415, 1],
  "http.too_large": [413, 1],
  "auth.required": [401, 1],
  "auth.scope": [403, 1],
  "token.not_found": [404, 1],
  "server.running": [409, 1],
  "server.not_running": [503, 1],
  "server.not_ready": [503, 1],
  "idempotency.conflict": [422, 1],
  "idempotency.unknown": [409, 1],
  "listen.taken": [409, 1],
  "listen.failed": [500, 1],
  "cluster.config": [400, 2],
  "cluster.unreachable": [503, 1],
  "cluster.refused": [502, 1],
  "hub.not_found": [404, 1],
  "hub.upstream": [502, 1],
  "hub.moved": [409, 1],
  timeout: [504, 124],
  internal: [500, 1],
} as const satisfies Record<string, readonly [http: number, exit: number]>;

export type ErrorCode = keyof typeof table;

export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

export const httpStatusOf = (code: ErrorCode): number => table[code][0];
export const exitCodeOf = (code: ErrorCode): number => table[code][1];
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(table, code);

/** Outside in: `wrap("execute agent", cause)` reads "execute agent: <cause>". An AppError keeps its code. */
export function wrap(context: string, cause: unknown, code: ErrorCode = "internal"): AppError {
  const known = cause instanceof AppError ? cause : undefined;
  return new AppError(known?.code ?? code, `${context}: ${messageOf(cause)}`, known?.details ?? {}, { cause });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
