/** The end of a CI run: `ci-total FILE SUITE…` reads what each suite left in FILE, says what is wrong, and ends with the sum. */
import { existsSync, readFileSync } from "node:fs";
import { complaintsAbout, type SuiteTally, totalOf } from "../test/gate/tally.ts";

const [file = "", ...expected] = process.argv.slice(2);
const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
const tallies = lines.map((line): SuiteTally => JSON.parse(line));
for (const { suite, passed, failed, skipped, triedAgain } of tallies) {
  console.log(
    `CI: ${suite}: ${passed} passed, ${failed} failed, ${skipped.length} skipped, ${triedAgain.length} tried again`,
  );
  for (const name of skipped) console.log(`CI: skipped: ${name}`);
  for (const name of triedAgain) console.log(`CI: tried again: ${name}`);
}
const complaints = complaintsAbout(expected, tallies);
for (const complaint of complaints) console.log(`CI: WRONG: ${complaint}`);
if (complaints.length > 0 || tallies.some(({ failed }) => failed > 0)) process.exitCode = 1;
console.log(totalOf(tallies));
