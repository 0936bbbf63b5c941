import type { EventOf } from "../../../contract/events.ts";
import type { Json } from "../read.ts";

/*
 * Fields of a chunk (OpenAI's chat.completion.chunk, and what others add to it), and what each becomes.
 *
 *   choices[0].delta.content                                 message_chunk; the part within <think> reasoning
 *   choices[0].delta.reasoning_content, .reasoning           reasoning
 *   choices[0].message                                       the same, of a server that doesn't stream; ignored beside a delta
 *                                                            because it repeats what was streamed
 *   choices[0].finish_reason                                 complete.stopReason
 *   usage                                                    complete.usage; the last one counts
 *   citations, search_results                                the list of sources after the answer
 *   error                                                    error and complete
 *   id, created, model, object, system_fingerprint, …        ignored because they say nothing about the conversation
 *   a chunk with none of choices, usage, error               unmapped
 */

/** What our side says or knows; it reaches the translator as sent frames. */
export type RestSent =
  | { type: "request"; model: string }
  /** The exchange is over and no `[DONE]` said so. */
  | { type: "end"; failure?: EventOf<"error">; interrupted?: string };

/** Received frames are the server's chunks as they are; `data: [DONE]` becomes this one. */
export const DONE: Json = { object: "done" };
