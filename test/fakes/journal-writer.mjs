// Appends numbered records of mixed sizes until it is killed or the disk is full. After each append that returned, the
// number goes into the ack file. Arguments: journal, ack file, writer's name, largest record in bytes.
// Needs a loader for TypeScript (node --import tsx). Prints the error it gave up with as one line of JSON.
import { openSync, writeSync } from "node:fs";
import { appendRecord, openJournal } from "../../src/lib/files/journal-line.ts";

const [journal, ackPath, writer, largest] = process.argv.slice(2);
const fd = openJournal(journal);
const acks = openSync(ackPath, "a", 0o600);
const sizes = [200, 1000, 4096, 65_536, 1_048_576].filter((size) => size <= Number(largest));
try {
  for (let n = 1; ; n += 1) {
    appendRecord(fd, JSON.stringify({ writer, n, pad: "x".repeat(sizes[n % sizes.length] - 60) }), journal);
    writeSync(acks, `${n}\n`);
  }
} catch (error) {
  console.log(JSON.stringify({ code: error.code, message: error.message }));
}
