import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../../lib/files/atomic-file.ts";
import { diskError, errnoOf } from "../../lib/files/disk-error.ts";

/**
 * One JSON file per thing in a folder of its own, for the hub alone to write. A secret of it lies beside in a file of its own,
 * so that the record can be looked at and passed on.
 */
export class RecordFolder<T> {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  write(name: string, record: T, secret: string): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw diskError("keep what the hub knows", this.#folder, error);
    }
    const file = this.#secretFile(name);
    if (secret === "") rmSync(file, { force: true });
    else writeFileAtomic(file, secret, { mode: 0o600 });
    const text = JSON.stringify({ ...record, ...(secret === "" ? {} : { secret_file: file }) });
    writeFileAtomic(join(this.#folder, `${name}.json`), text, { mode: 0o600 });
  }

  remove(name: string): void {
    rmSync(join(this.#folder, `${name}.json`), { force: true });
    rmSync(this.#secretFile(name), { force: true });
  }

  /** What can't be read is passed over: it will register again. */
  readAll(): { record: T; secret: string }[] {
    return this.#names().flatMap((name) => {
      try {
        const { secret_file: file, ...record } = JSON.parse(readFileSync(join(this.#folder, name), "utf8"));
        return [{ record: record as T, secret: typeof file === "string" ? readFileSync(file, "utf8") : "" }];
      } catch {
        return [];
      }
    });
  }

  #secretFile(name: string): string {
    return join(this.#folder, `${name}.secret`);
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder)
        .filter((name) => name.endsWith(".json"))
        .sort();
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return [];
      throw diskError("read what the hub knows", this.#folder, error);
    }
  }
}
