/**
 * What an agent says goes to a person's terminal, and a terminal obeys: it moves the cursor, writes the clipboard, shows one
 * address and opens another. So nothing but text and line ends gets through. A bare CR is what programs rewrite a line
 * with: it becomes a line end, or it would hide what stands before it.
 */
export function printable(text: string): string {
  if (!UNSAFE.test(text)) return text;
  return text.replace(SEQUENCES, "").replace(/\r\n?/g, "\n").replace(CONTROLS, "").replace(MISLEADING, "\ufffd");
}

/** The same on one line: titles, paths, reasons. */
export function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, " ").trim();
}

/**
 * For what a person is asked to approve: nothing is taken out, since what is left out here would still be executed.
 * Everything that a terminal would obey, and everything that can't be seen or told from a space, is spelled out instead.
 */
export function revealed(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(SPELLED, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

/** The same on one line. Spelled out first, or what counts as a blank would be one. */
export const revealedLine = (text: string): string => oneLine(revealed(text));

/** Overrides of the writing direction, and tag characters that no terminal shows. */
const misleading = "\\u202a-\\u202e\\u2066-\\u2069\\u{e0000}-\\u{e007f}";
const controls = "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f";
/**
 * What Unicode says is not drawn (joiners, marks of direction, fillers, selectors, tags), all spaces and separators, halves of
 * characters, and what it forgot: the marks of annotations and the Braille pattern without dots. In ordinary text these have
 * their use, an emoji is joined by them; where something is decided, two texts must not look the same.
 */
const unseen = "\\p{Default_Ignorable_Code_Point}\\p{Z}\\p{Cs}\\ufff9-\\ufffb\\u2800";

const UNSAFE = new RegExp(`[${controls}${misleading}]`, "u");
const CONTROLS = new RegExp(`[${controls}]`, "gu");
const MISLEADING = new RegExp(`[${misleading}]`, "gu");
const SPELLED = new RegExp(`(?! )[${controls}${misleading}${unseen}]`, "gu");

/**
 * Whole sequences, so that their parameters don't stay behind as text: strings (OSC, DCS, APC, PM, SOS) up to their end,
 * CSI, and the short ones. What is cut off in the middle loses only its first characters, which makes it harmless.
 */
const SEQUENCES = new RegExp(
  [
    "(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b\\x80-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)",
    "(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]",
    "\\x1b[ -/]*[0-~]",
  ].join("|"),
  "g",
);

/** JSON escapes C0 by itself. The rest of what a terminal would obey is escaped too: the value stays the same. */
export function printableJson(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  return JSON.stringify(value, replacer).replace(UNSAFE_IN_JSON, (character) =>
    character.split("").map(escaped).join(""),
  );
}

const UNSAFE_IN_JSON = new RegExp(`[\\x7f-\\x9f${misleading}]`, "gu");
const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
