import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BusMessage } from "../../src/contract/bus.ts";

const writer = join(import.meta.dirname, "../fakes/bus-writer.mjs");
const loader = import.meta.resolve("tsx");

export interface WriterOptions {
  bus: string;
  acks: string;
  name: string;
  /** 0: until it is killed, or can't write any more. */
  count: number;
  largest?: number;
  /** Made by `bundleWriter`: begins in a sixth of the time. */
  bundle?: string;
}

/** The command line of a process that posts numbered messages and notes which were acknowledged. */
export function writerCommand({ bus, acks, name, count, largest = 256 * 1024, bundle }: WriterOptions): string[] {
  const program = bundle === undefined ? ["--import", loader, writer] : [bundle];
  return [process.execPath, ...program, bus, acks, name, String(count), String(largest)];
}

export function startWriter(options: WriterOptions): ChildProcess {
  const [file = "", ...args] = writerCommand(options);
  return spawn(file, args, { stdio: ["ignore", "pipe", "inherit"] });
}

export async function bundleWriter(folder: string): Promise<string> {
  const { build } = await import("vite");
  await build({
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true, target: "node" },
    build: {
      ssr: writer,
      outDir: folder,
      target: "node20",
      rollupOptions: { output: { entryFileNames: "writer.mjs" } },
    },
  });
  return join(folder, "writer.mjs");
}

/** The numbers whose post returned. */
export function acknowledged(acks: string): number[] {
  return readFileSync(acks, "utf8").split("\n").filter(Boolean).map(Number);
}

/** What each writer's messages say, in the order they were read. */
export class Tallies {
  readonly #numbers = new Map<string, number[]>();

  add({ body }: BusMessage): void {
    const [name = "", n = ""] = (typeof body === "string" ? body : body.head).split(" ", 2);
    const numbers = this.#numbers.get(name) ?? [];
    numbers.push(Number(n));
    this.#numbers.set(name, numbers);
  }

  of(name: string): number[] {
    return this.#numbers.get(name) ?? [];
  }

  get count(): number {
    return [...this.#numbers.values()].reduce((sum, numbers) => sum + numbers.length, 0);
  }
}

/** 1, 2, 3 … */
export const numbersTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
