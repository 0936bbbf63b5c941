// Preloaded: every whole file that is read is noted in COX_TEST_READS_FILE, one line `pid path` each. Agents get this one too, but
// not the variable, so of them nothing is noted.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { readFileSync, appendFileSync } = fs;
const log = process.env.COX_TEST_READS_FILE;
if (log !== undefined) {
  fs.readFileSync = (path, ...rest) => {
    appendFileSync(log, `${process.pid} ${path}\n`);
    return readFileSync(path, ...rest);
  };
  syncBuiltinESMExports();
}
