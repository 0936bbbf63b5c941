import { crc32 } from "node:zlib";

/**
 * A record of a bus is a line of dashes, its head, a line of dashes, and its body, with an empty line in front:
 *
 *     ---
 *     {"msg_id":"m1","ts":"2026-01-02T03:04:05.678Z","type":"INFO","project_id":"p","bytes":5,"crc":"01234567"}
 *     ---
 *     hello
 *
 * The head is one line of JSON, which is YAML as well: conductor-loop's `run-agent bus` reads it as one of its own, and what it
 * appends itself is read here. `bytes` is the body's length without its newline; `crc` is over the head up to there and the body.
 */
export const RULE = "---\n";
/** How a head begins: ours, and one of run-agent. */
export const OUR_HEAD = '{"msg_id":"';
export const THEIR_HEAD = "msg_id: ";

/** `,"crc":"01234567"}` ends every head we write: it tells a whole record from a damaged one, and ours from others'. */
export const CHECK_BYTES = 18;
export const checkText = (check: number): string => `,"crc":"${check.toString(16).padStart(8, "0")}"}`;
export const checkOf = (head: Uint8Array, body: Uint8Array): number => crc32(body, crc32(head));

const MAY_BE_FRAME = /---|\{|msg_id: /;
const FRAME = /(^|\n)( *(?:---\r*(?=\n|$)|\{|msg_id: ))/g;
const SET_IN = /(^|\n) ( *(?:---\r*(?=\n|$)|\{|msg_id: ))/g;

/** Lines that would read as the beginning of a record, or as its rule, are set in by a blank: no body can forge one. */
export const setIn = (body: string): string => (MAY_BE_FRAME.test(body) ? body.replace(FRAME, "$1 $2") : body);
export const setOut = (text: string): string => (MAY_BE_FRAME.test(text) ? text.replace(SET_IN, "$1$2") : text);

/** JSON that is YAML too: what YAML refuses or takes for a line's end is written by its number. */
export function headJson(value: unknown): string {
  return JSON.stringify(value, wellFormed).replace(
    NOT_IN_YAML,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
const NOT_IN_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Half a pair of surrogates is no text: it has no form in a file. */
const wellFormed = (_: string, value: unknown): unknown =>
  typeof value === "string" ? value.replace(/\p{Cs}/gu, "\ufffd") : value;
