import type { Context } from "./command.ts";

/** Writes to stdout as it is, and says when nobody reads it: for commands that have more to do than to be read. */
export function plainWriter({ stdout, onOutputGone }: Pick<Context, "stdout" | "onOutputGone">) {
  onOutputGone(() => {}); // the write that failed says so
  return (bytes: Uint8Array | string): Promise<void> =>
    new Promise((resolve, reject) => {
      stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
}
