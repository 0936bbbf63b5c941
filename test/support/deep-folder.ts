import { execFileSync } from "node:child_process";

const DIG = `const fs = require("node:fs");
const [, depth, name] = process.argv;
for (let n = Number(depth); n > 0; n -= 1) { fs.mkdirSync(name); process.chdir(name); }
fs.writeFileSync("bottom", "x");`;

/** Folders within each other, deeper than a path can name, and a file at the bottom; few with long names do as well as many. */
export function deepFolder(path: string, depth = 30, name = "down".repeat(50)): void {
  execFileSync(process.execPath, ["-e", DIG, String(depth), name], { cwd: path });
}
