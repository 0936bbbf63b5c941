import { VERSION } from "../../../lib/base/version.ts";
import { command, requirePositionals } from "../../../lib/command/command.ts";

const spec = command({
  name: "version",
  summary: "Print the version.",
  usage: "cox version [--json]",
  options: { json: { help: "also Node and the platform, as JSON" } },
  run({ values, positionals }, { stdout }) {
    requirePositionals(spec, positionals, 0);
    const facts = { version: VERSION, node: process.versions.node, platform: `${process.platform}-${process.arch}` };
    stdout.write(values.json ? `${JSON.stringify(facts)}\n` : `cox ${VERSION}\n`);
    return 0;
  },
});
export default spec;
