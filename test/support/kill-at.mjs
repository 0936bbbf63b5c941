// Preloaded into a host: it is killed, as by the kernel, just before its n-th step that touches the disk or starts a process.
// COX_TEST_KILL_AT=n; steps are counted in COX_TEST_STEPS_FILE, so that a test knows when it has tried them all.
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const at = Number(process.env.COX_TEST_KILL_AT);
const writeStep = fs.writeFileSync;
let steps = 0;

function step() {
  steps += 1;
  if (steps === at) process.kill(process.pid, "SIGKILL");
}

const isWrite = (flags) => (typeof flags === "number" ? (flags & 3) !== 0 : flags !== undefined && flags !== "r");

for (const name of [
  "writeSync",
  "renameSync",
  "linkSync",
  "mkdirSync",
  "rmSync",
  "chmodSync",
  "copyFileSync",
  "unlinkSync",
]) {
  const real = fs[name];
  fs[name] = (...args) => {
    step();
    return real(...args);
  };
}
const open = fs.openSync;
fs.openSync = (path, flags, mode) => {
  if (isWrite(flags)) step();
  return open(path, flags, mode);
};
const spawn = childProcess.spawn;
childProcess.spawn = (...args) => {
  step();
  const child = spawn(...args);
  step();
  return child;
};
syncBuiltinESMExports();
// The agent it starts must not inherit this.
process.env.NODE_OPTIONS = "";
process.on("exit", () => writeStep(process.env.COX_TEST_STEPS_FILE, String(steps)));
