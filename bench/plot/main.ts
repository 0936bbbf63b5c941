import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { newest, savedResults } from "../measure/result.ts";
import { drawBars } from "./bars.ts";
import { drawCourses } from "./courses.ts";
import { withTable } from "./table.ts";

/** `npm run bench:plot`: the newest saved result as the README's table, and as docs/images/bench.svg and history.svg. */
const result = newest(savedResults());
if (result === undefined)
  throw new Error("no result is saved; make one with `npm run bench -- --save` on a quiet machine");
mkdirSync("docs/images", { recursive: true });
writeFileSync("docs/images/bench.svg", drawBars(result));
writeFileSync("docs/images/history.svg", drawCourses(result));
writeFileSync("README.md", withTable(readFileSync("README.md", "utf8"), result));
console.log(`drawn from ${result.commit} of ${result.at.slice(0, 10)}`);
