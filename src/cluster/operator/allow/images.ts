/** What one `--allow-image` admits. The API server decides the same, so it is a value that both can read. */
export interface ImageRule {
  /** This image as it is written. */
  exact?: string;
  /** Every tag and digest of this name. */
  name?: string;
  /** Every image below; ends with a slash. */
  below?: string;
}

/**
 * A prefix is whole path segments: `a/b` is not `a/b-evil`. One with a tag or a digest is that image alone; `host:port` can't be
 * told from `name:tag`, and is both.
 */
export function imageRule(prefix: string): ImageRule {
  const plain = prefix.replace(/\/+$/, "");
  if (plain === "") return {};
  if (plain !== prefix) return { below: `${plain}/` };
  const isPinned = /[:@]/.test(plain.slice(plain.lastIndexOf("/") + 1));
  if (isPinned) return plain.includes("/") ? { exact: plain } : { exact: plain, below: `${plain}/` };
  return { exact: plain, name: plain, below: `${plain}/` };
}

export const isAllowedImage = (image: string, prefixes: readonly string[]): boolean =>
  prefixes.map(imageRule).some((rule) => admits(rule, image));

function admits({ exact, name, below }: ImageRule, image: string): boolean {
  if (image === exact || (below !== undefined && image.startsWith(below))) return true;
  if (name === undefined || !image.startsWith(name)) return false;
  const rest = image.slice(name.length);
  // A slash after the colon makes a port of what looked like a tag: another registry.
  return (rest.startsWith(":") || rest.startsWith("@")) && !rest.includes("/");
}

/** The same for the API server, about the string that `image` stands for. */
export function imageExpression(prefixes: readonly string[], image: string): string {
  const quoted = (text: string) => JSON.stringify(text);
  const cases = prefixes
    .map(imageRule)
    .flatMap(({ exact, name, below }) => [
      ...(exact === undefined ? [] : [`${image} == ${quoted(exact)}`]),
      ...(below === undefined ? [] : [`${image}.startsWith(${quoted(below)})`]),
      ...(name === undefined
        ? []
        : [":", "@"].map(
            (mark) =>
              `(${image}.startsWith(${quoted(name + mark)}) && !${image}.substring(size(${quoted(name)})).contains("/"))`,
          )),
    ]);
  return cases.length === 0 ? "false" : cases.join(" || ");
}
