import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * What a program needs beside itself to run from a place that is otherwise hidden (people install agents in their home): the
 * packages around a Node script, a Python program's environment. Never the folder above `bin`: in ~/.local that holds keyrings.
 */
export function programFolders(file: string): string[] {
  const real = realpathSync(file);
  const packages = real.indexOf("/node_modules/");
  if (packages !== -1) return [real.slice(0, packages + "/node_modules".length)];
  const environment = dirname(dirname(real));
  return existsSync(join(environment, "pyvenv.cfg")) ? [environment] : [real];
}

/** Node with what is installed beside it: npm, and other agents' scripts. */
export function nodeFolders(node: string): string[] {
  const bin = dirname(realpathSync(node));
  return [bin, join(dirname(bin), "lib", "node_modules")].filter(existsSync);
}
