const BEGIN = "<!-- begin: instructions of this Task -->";
const END = "<!-- end: instructions of this Task -->";

/**
 * A file of which one part is ours. The part of an earlier Task gives way, so that a container that is used again has each
 * instruction once; what the image wrote there stays.
 */
export function withSection(before: string, content: string): string {
  const rest = withoutSection(before);
  if (content.trim() === "") return rest;
  const gap = rest === "" || rest.endsWith("\n\n") ? "" : rest.endsWith("\n") ? "\n" : "\n\n";
  return `${rest}${gap}${BEGIN}\n${content.trimEnd()}\n${END}\n`;
}

function withoutSection(text: string): string {
  const from = text.indexOf(BEGIN);
  if (from === -1) return text;
  const to = text.indexOf(END, from);
  const after = to === -1 ? "" : text.slice(to + END.length).replace(/^\n/, "");
  return `${text.slice(0, from).replace(/\n\n$/, "\n")}${after}`;
}
