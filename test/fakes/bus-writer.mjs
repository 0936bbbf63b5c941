// Posts numbered messages of mixed sizes, log-uniform from 200 bytes to the largest, and writes each number into the ack file
// after its post returned. Arguments: bus, ack file, writer's name, how many (0: until killed), largest body in bytes.
// Needs a loader for TypeScript (node --import tsx), or to be bundled. Prints "go" when it begins, and the error it gave up
// with as one line of JSON.
import { openSync, writeSync } from "node:fs";
import { BusWriter } from "../../src/core/store/bus/bus.ts";

const [bus, ackPath, writer, count, largest] = process.argv.slice(2);
const acks = openSync(ackPath, "a", 0o600);
const span = Math.log(Number(largest) / 200);
try {
  const at = new BusWriter(bus);
  writeSync(1, "go\n");
  for (let n = 1; Number(count) === 0 || n <= Number(count); n += 1) {
    const head = `${writer} ${n} `;
    const body = head + "x".repeat(Math.max(Math.floor(200 * Math.exp(Math.random() * span)) - head.length, 0));
    at.post({ type: "INFO", project: "p", task: "t", body }, Date.now());
    writeSync(acks, `${n}\n`);
  }
} catch (error) {
  writeSync(1, `${JSON.stringify({ code: error.code, message: error.message })}\n`);
}
