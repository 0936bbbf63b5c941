import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { withLock } from "../../src/lib/process/holders/lock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const claimer = fileURLToPath(new URL("../fakes/claimer.mjs", import.meta.url));
const loader = import.meta.resolve("tsx");

/** Lines of one follow each other; who was killed with the claim has no second one, and is never heard of again. */
function overlaps(lines: readonly string[]): string[] {
  const found: string[] = [];
  let holder = "";
  for (const [index, line] of lines.entries()) {
    const who = line.slice(1);
    if (line.startsWith("+")) {
      if (holder !== "" && lines.indexOf(`-${holder}`, index) >= 0) found.push(`${who} beside ${holder}`);
      holder = who;
    } else {
      if (holder !== who) found.push(`${who} went on after ${holder} came`);
      holder = "";
    }
  }
  return found;
}

test("processes that are killed at any step of claiming never have the same thing at once, and never block the rest", {
  timeout: 240_000,
}, async () => {
  const at = temporaryFolder();
  const [claim, log] = [join(at, "claim"), join(at, "log")];
  let kills = 0;
  const one = async () => {
    for (let life = 0; life < 8; life += 1) {
      const child = spawn(process.execPath, ["--import", loader, claimer, claim, log, "40"], { stdio: "inherit" });
      const [, signal] = await once(child, "exit");
      if (signal === "SIGKILL") kills += 1;
    }
  };
  await Promise.all([one(), one(), one(), one()]);
  expect(kills).toBeGreaterThan(5);
  expect(overlaps(readFileSync(log, "utf8").split("\n").filter(Boolean))).toEqual([]);
  expect(await withLock(claim, async () => "free", { waitMs: 0 })).toBe("free");
});
