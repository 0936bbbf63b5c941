import { VERSION } from "../../../lib/base/version.ts";
import { command } from "../../../lib/command/command.ts";

export default command({
  name: "version",
  summary: "Print the version.",
  usage: "cox version [--json]",
  examples: ["cox version --json"],
  words: [0, 0],
  options: { json: { help: "also Node and the platform, as JSON" } },
  run({ values }, { stdout }) {
    const facts = { version: VERSION, node: process.versions.node, platform: `${process.platform}-${process.arch}` };
    stdout.write(values.json ? `${JSON.stringify(facts)}\n` : `cox ${VERSION}\n`);
    return 0;
  },
});
