import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import type { Figure } from "./figure.ts";

/** `bench/results/<date>-<commit>.json`: all figures of one day on one machine. */
export interface Result {
  at: string;
  commit: string;
  node: string;
  machine: Machine;
  figures: Figure[];
}

export interface Machine {
  cpu: string;
  cores: number;
  memory_gb: number;
  kernel: string;
  /** Every start of Node 20 reads the file that `NODE_EXTRA_CA_CERTS` names: two thirds of `node -e 0`, where it is a system's. */
  extra_certificates: boolean;
}

const folder = join(process.cwd(), "bench/results");

export function thisMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? "unknown",
    cores: all.length,
    memory_gb: Math.round(totalmem() / 1024 ** 3),
    kernel: release(),
    extra_certificates: (process.env.NODE_EXTRA_CA_CERTS ?? "") !== "",
  };
}

export function saveResult(figures: Figure[]): string {
  const commit = execFileSync("git", ["describe", "--always", "--dirty", "--exclude=*"], { encoding: "utf8" }).trim();
  const at = new Date().toISOString();
  const result: Result = { at, commit, node: process.version, machine: thisMachine(), figures: figures.map(short) };
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${at.slice(0, 10)}-${commit}.json`);
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
  return path;
}

export function savedResults(): Result[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.map((name): Result => JSON.parse(readFileSync(join(folder, name), "utf8")));
}

export const newest = (results: readonly Result[]): Result | undefined =>
  results.toSorted((a, b) => b.at.localeCompare(a.at))[0];

/** Ratios are alike on machines that are: another processor, another major version of Node, other certificates, other ratios. */
export function newestAlike(
  results: readonly Result[],
  { machine, node }: Pick<Result, "machine" | "node">,
): Result | undefined {
  const alike = (other: Result) =>
    other.machine.cpu === machine.cpu &&
    other.machine.cores === machine.cores &&
    other.machine.extra_certificates === machine.extra_certificates &&
    other.node.split(".")[0] === node.split(".")[0];
  return newest(results.filter(alike));
}

/** What a machine's time was for before we began: a result of a busy one isn't kept. */
export async function idleShare(): Promise<number> {
  const times = () =>
    cpus().map(({ times: { user, nice, sys, idle, irq } }) => [idle, user + nice + sys + idle + irq] as const);
  const sum = (at: 0 | 1, all: ReturnType<typeof times>) => all.reduce((total, pair) => total + pair[at], 0);
  const begin = times();
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const end = times();
  return (sum(0, end) - sum(0, begin)) / (sum(1, end) - sum(1, begin));
}

/** Four digits are more than a machine can tell apart. */
function short(figure: Figure): Figure {
  const rounded = (value: number) => Number(value.toPrecision(4));
  const { value, ratio, floor, spread, aa } = figure;
  const found = { value, ratio, floor, spread, aa };
  return { ...figure, ...Object.fromEntries(Object.entries(found).map(([key, number]) => [key, rounded(number)])) };
}
