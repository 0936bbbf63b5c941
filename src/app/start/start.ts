import { join } from "node:path";
import { hostsRun, keptPath, openKept, saveKept } from "./kept-code.ts";
import { Modules } from "./modules.ts";

declare const require: NodeJS.Require;

/**
 * What `bin/cox` loads. Our own modules are run from one file that earlier calls of the same command left, with what V8 compiled
 * of them; Node's loader would look for, read and compile more than a hundred. Where there is no such file all is loaded from
 * `dist`, and this call leaves one.
 */
const dist = import.meta.dirname;
const command = process.argv[2] ?? "";
const path = keptPath(command, process.env, join(dist, "cox.cjs"));
const kept = path === undefined ? undefined : openKept(path, dist);
const modules = new Modules(dist, kept?.functions ?? {}, require);
if (path !== undefined) {
  const save = () => saveKept(path, kept, dist, modules.loaded());
  // A host that goes has told everybody that its run is over: from then on it writes nothing. Nor does who sends messages for others
  // who have gone on: nobody knows when it is done.
  if (command === "host") setTimeout(() => (hostsRun(path) ? save() : undefined), 2000).unref();
  else if (command !== "notify") process.on("exit", (code) => (code === 0 ? save() : undefined));
}
modules.load("cox.cjs");
