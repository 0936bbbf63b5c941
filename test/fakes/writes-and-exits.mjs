#!/usr/bin/env node
// Writes the given number of bytes in a single call and is gone in the next instant: by exit, or by SIGKILL.
import { writeSync } from "node:fs";

const [size, how] = process.argv.slice(2);
const bytes = Buffer.alloc(Number(size), "0123456789abcdef\n");
bytes.write("END\n", bytes.length - 4);
writeSync(1, bytes);
if (how === "killed") process.kill(process.pid, "SIGKILL");
process.exit(0);
