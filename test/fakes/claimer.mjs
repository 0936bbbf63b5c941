// Claims the same file again and again, and says in the log when it has it and when no more. In every few rounds it is killed,
// as by the kernel, just before one of its steps on the disk. Arguments: claim, log, rounds.
// Needs a loader for TypeScript (node --import tsx).
import fs, { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const [path, log, rounds] = process.argv.slice(2);
let left = 20 + Math.floor(Math.random() * 120);
for (const name of ["openSync", "writeSync", "linkSync", "rmSync", "unlinkSync", "readFileSync"]) {
  const real = fs[name];
  fs[name] = (...args) => {
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
    return real(...args);
  };
}
syncBuiltinESMExports();
const { withLock } = await import("../../src/lib/process/holders/lock.ts");
left = 5 + Math.floor(Math.random() * 200);
for (let round = 0; round < Number(rounds); round += 1) {
  await withLock(
    path,
    async () => {
      appendFileSync(log, `+${process.pid}\n`);
      await null;
      appendFileSync(log, `-${process.pid}\n`);
    },
    { waitMs: 60_000 },
  );
}
