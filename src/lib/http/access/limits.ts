/** What one client may cost. Each can be set lower for a test, or higher by who knows why. */
export interface Limits {
  headerBytes: number;
  headers: number;
  /** Unless a route asks for more. */
  bodyBytes: number;
  /** From the first byte to the last of the headers: a client that trickles is let go. */
  headersMs: number;
  /** From the first byte to the last of the body. */
  requestMs: number;
  connections: number;
  idleMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  headerBytes: 16 * 1024,
  headers: 100,
  bodyBytes: 1024 * 1024,
  headersMs: 10_000,
  requestMs: 120_000,
  connections: 2048,
  idleMs: 30_000,
};
