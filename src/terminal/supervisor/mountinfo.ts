import { readFileSync } from "node:fs";

/**
 * The places where something is mounted, from /proc/self/mountinfo: the fifth field, in which blanks, tabs, line ends and
 * backslashes stand as octal escapes.
 */
export function mountPoints(mountinfo: string): Set<string> {
  const points = mountinfo.split("\n").map((line) => line.split(" ")[4]);
  return new Set(points.filter((point) => point !== undefined).map(decode));
}

/** Only characters of ASCII are escaped; others stand as they are. */
const decode = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/** None where the kernel has no such file. */
export function currentMountPoints(): Set<string> {
  try {
    return mountPoints(readFileSync("/proc/self/mountinfo", "utf8"));
  } catch {
    return new Set();
  }
}
