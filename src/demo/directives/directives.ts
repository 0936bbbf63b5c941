import { RequestError, type StopReason } from "@agentclientprotocol/sdk";
import type { Step } from "../conversation/prompt.ts";
import type { Turn } from "../turn.ts";
import { asking } from "./directives-asking.ts";
import { flooding } from "./directives-flooding.ts";
import { talking } from "./directives-talking.ts";
import { tooling } from "./directives-tooling.ts";
import { trouble } from "./directives-trouble.ts";

/** One step of a script. A stop reason ends the turn. */
export type Directive = (turn: Turn, rest: string) => Promise<StopReason | void>;

/**
 * A prompt with lines that begin with `@` is a script: each such line is one step, in order; other lines are ignored.
 *
 * | talking              |                                                                          |
 * |----------------------|--------------------------------------------------------------------------|
 * | say TEXT             | one message                                                              |
 * | think TEXT           | one thought                                                              |
 * | plan A; B; C         | a plan: the first entry in progress                                      |
 * | memory               | says the earlier prompts of this session                                 |
 * | image                | says how many images came with the prompt                                |
 * | model, mode          | says the current one                                                     |
 * | env NAME             | says NAME=value, or that it is not set                                   |
 * | pwd                  | says the session's directory, and the process's where it differs         |
 * | usage IN OUT [USD]   | what the turn reports as used; USD adds to the session's cost            |
 * | context USED SIZE    | how full the window is                                                   |
 * | sleep MS             | waits                                                                    |
 *
 * | tools                |                                                                          |
 * |----------------------|--------------------------------------------------------------------------|
 * | tool NAME TITLE      | a tool call that does nothing and succeeds                               |
 * | read PATH            | reads a file                                                             |
 * | edit PATH TEXT       | makes TEXT the content of a file; asks as the mode wants                 |
 * | run CMD              | `sh -c CMD`; asks as the mode wants                                      |
 * | mcp SERVER TOOL JSON | calls a tool of one of the session's MCP servers                         |
 *
 * | asking               |                                                                          |
 * |----------------------|--------------------------------------------------------------------------|
 * | permission TITLE     | asks in every mode and says what was chosen                              |
 * | permissions N        | asks N times at once; says each answer as it comes                       |
 * | question T [| C]…    | asks T, with choices C or for free text; says the answer                 |
 *
 * | flooding             |                                                                          |
 * |----------------------|--------------------------------------------------------------------------|
 * | slow N MS            | "tick 1 " to "tick N ", one every MS milliseconds                        |
 * | stream N MS TEXT     | a message in pieces of N letters, one every MS milliseconds; \n ends a line |
 * | burst N [BYTES]      | N chunks "1 " to "N " as fast as possible, each filled up to BYTES       |
 * | huge BYTES           | one chunk whose line on the wire has BYTES bytes                         |
 *
 * | trouble              |                                                                          |
 * |----------------------|--------------------------------------------------------------------------|
 * | error CATEGORY       | the prompt fails: auth, credits, rate_limit, model, server, …            |
 * | stop REASON          | the turn ends: refusal, max_tokens, max_turn_requests                    |
 * | crash [CODE]         | the process exits in mid-turn, with a word on stderr                     |
 * | kill                 | the process kills itself                                                 |
 * | hang                 | never answers, not even to a cancellation                                |
 * | exit                 | exits with 0 once the turn is answered                                   |
 * | ignore-sigterm       | from now on                                                              |
 * | daemon               | starts a child in a session of its own that outlives us; says its pid    |
 * | stderr TEXT          | a line on stderr                                                         |
 * | raw TEXT             | a line on stdout that is no frame                                        |
 * | bytes HEX            | bytes on stdout, without a newline                                       |
 */
const directives: Readonly<Record<string, Directive>> = { ...talking, ...tooling, ...asking, ...flooding, ...trouble };

/** A misspelt step fails the prompt before the first one runs: a script that half works proves nothing. */
export async function runScript(turn: Turn, steps: readonly Step[]): Promise<StopReason> {
  const unknown = steps.find(({ name }) => !Object.hasOwn(directives, name));
  if (unknown)
    throw RequestError.invalidParams({ known: Object.keys(directives) }, `unknown directive @${unknown.name}`);
  for (const { name, rest } of steps) {
    turn.signal.throwIfAborted();
    const stop = await directives[name]?.(turn, rest);
    if (stop) return stop;
  }
  return "end_turn";
}
