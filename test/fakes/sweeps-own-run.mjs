// Part of a run itself, it sweeps that run, and tells what it did and that it is still there.
// Needs a loader for TypeScript (node --import tsx). Arguments: name and value of the run's marker.
import { sweep } from "../../src/lib/process/stop.ts";

const [name, value] = process.argv.slice(2);
console.log(JSON.stringify(await sweep({ name, value }, 0)));
