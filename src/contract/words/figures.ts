/** Figures as people read them: `4m 12s`, `1.2k`, `$0.04`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(ms, 0) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)}s`;
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ${pad((seconds % 3600) / 60)}m`;
  return `${Math.floor(seconds / 86_400)}d ${pad((seconds % 86_400) / 3600)}h`;
}

/** How long ago, in one unit: a column of a list. */
export function formatAge(ms: number): string {
  const seconds = Math.floor(Math.max(ms, 0) / 1000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

export function formatCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 99_950) return `${trimmed(count / 1000)}k`;
  if (count < 999_500) return `${Math.round(count / 1000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

/** Most agents tell no price; then there is nothing to show. */
export function formatCost(usd: number): string {
  if (usd <= 0) return "";
  return usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

/** An amount that is compared with another: two digits, more where they would hide it. */
export function formatExactCost(usd: number): string {
  return `$${usd !== 0 && usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let size = bytes;
  let unit = "";
  while (size >= 1024 && units.length > 0) {
    size /= 1024;
    unit = units.shift() ?? "";
  }
  return `${trimmed(size)} ${unit}`;
}

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

const pad = (value: number) => String(Math.floor(value)).padStart(2, "0");
const trimmed = (value: number) => value.toFixed(1).replace(/\.0$/, "");
