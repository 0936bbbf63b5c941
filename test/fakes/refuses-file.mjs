#!/usr/bin/env node
// Like a Python program that hands its stdout to asyncio: a regular file will not do.
import { fstatSync, writeSync } from "node:fs";

const stdout = fstatSync(1);
if (stdout.isFile()) {
  console.error("stdout is a regular file");
  process.exit(3);
}
for (let sent = 0; sent < 200_000; ) sent += writeSync(1, "y".repeat(Math.min(50_000, 200_000 - sent)));
