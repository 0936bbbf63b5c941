import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { runInThisContext } from "node:vm";

/** A module's text as a function, as Node's own loader makes one of it. */
export type ModuleFunction = (
  exports: object,
  require: (name: string) => unknown,
  module: { exports: object },
  filename: string,
  dirname: string,
) => void;

const HEAD = "(function(exports,require,module,__filename,__dirname){";

/** Our own modules by their names in `dist`. They ask for one another, for Node's, and for packages. */
export class Modules {
  readonly #dist: string;
  readonly #functions: Readonly<Record<string, ModuleFunction | undefined>>;
  readonly #others: NodeJS.Require;
  readonly #loaded = new Map<string, { exports: object }>();

  constructor(dist: string, functions: Readonly<Record<string, ModuleFunction | undefined>>, others: NodeJS.Require) {
    this.#dist = dist;
    this.#functions = functions;
    this.#others = others;
  }

  /** Those that were asked for so far. */
  loaded(): string[] {
    return [...this.#loaded.keys()];
  }

  load(name: string): object {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    this.#loaded.set(name, module);
    const folder = posix.dirname(name);
    const require = (asked: string): unknown =>
      asked.startsWith(".") ? this.load(posix.join(folder, asked)) : this.#others(asked);
    const path = join(this.#dist, name);
    try {
      const run = this.#functions[name] ?? compiled(path);
      run(module.exports, require, module, path, join(this.#dist, folder));
    } catch (error) {
      this.#loaded.delete(name); // as Node does: who asks again gets the error again
      throw error;
    }
    return module.exports;
  }
}

const compiled = (path: string): ModuleFunction => runInThisContext(asFunction(textOf(path)), { filename: path });

/** Our build leaves only ASCII in them, which is cheaper to read and to keep. */
export const textOf = (path: string): string => readFileSync(path, "latin1");

/** The line end is for a comment on the last line. */
export const asFunction = (text: string): string => `${HEAD}${text}\n})`;
