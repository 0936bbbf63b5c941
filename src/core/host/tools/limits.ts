/** What an agent may cost us with its own tools, whichever way it came. */
export const MAX_REQUEST_BYTES = 8 * 1024 * 1024;
export const MAX_CONNECTIONS = 64;
/** Of one connection; over HTTP of all of them. */
export const MAX_AT_ONCE = 32;
/** Whoever asks and doesn't read the answers is cut off. */
export const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

/** Many agents give up on a call after a minute or two, unless they hear that it goes on. A person takes longer. */
export const BEAT_MS = 15_000;
