import { AppError } from "../../contract/errors.ts";

const units: Readonly<Record<string, number>> = { ms: 1, "": 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90`, `90s`, `30m`, `1.5h` as milliseconds. */
export function parseDuration(name: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|)$/.exec(text.trim());
  const ms = match ? Number(match[1]) * (units[match[2] ?? ""] ?? 0) : 0;
  if (ms > 0) return ms;
  throw new AppError("usage.invalid", `${name} ${JSON.stringify(text)}: not a time; use 90, 90s, 30m, 2h or 7d`);
}
