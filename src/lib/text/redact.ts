/**
 * Makes a function that takes the given secrets out of a text, as they are and as they travel: in JSON, in URLs, and in
 * base64 wherever they lie in it (an Authorization header encodes `user:secret`). Values shorter than 8 are left alone: they
 * are no secrets, and replacing every "1" or "true" would destroy the text.
 */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue;
    for (const form of formsOf(secret)) if (form.length >= SHORTEST) forms.add(form);
  }
  if (forms.size === 0) return (text) => text;
  // Longest first: a secret that contains another goes as a whole.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escapeRegExp).join("|"), "g");
  return (text) => text.replace(pattern, "[redacted]");
}

const SHORTEST = 8;

function formsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inForm = new URLSearchParams({ "": secret }).toString().slice(1);
  // encodeURIComponent throws on half a surrogate pair; what travels has it replaced anyway.
  const inUrl = encodeURIComponent(Buffer.from(secret).toString());
  const base64 = [0, 1, 2].map((shift) => base64Core(secret, shift));
  return [
    secret,
    inJson,
    ...[inForm, inUrl].flatMap((text) => [text, text.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())]),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

/** The characters that stand for the secret alone when `shift` other bytes come before it in the same group of three. */
function base64Core(secret: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]);
  const text = bytes.toString("base64").replace(/=+$/, "");
  const mixedWithBefore = shift === 0 ? 0 : shift + 1;
  const mixedWithAfter = bytes.length % 3 === 0 ? 0 : 1;
  return text.slice(mixedWithBefore, text.length - mixedWithAfter);
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
