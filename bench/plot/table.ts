import { amount } from "../measure/lines.ts";
import type { Result } from "../measure/result.ts";

const BEGIN = "<!-- bench: written by npm run bench:plot -->";
const END = "<!-- /bench -->";

/** The README with the table of a result between its two marks; without a result there is nothing between them. */
export function withTable(readme: string, result: Result | undefined): string {
  const [before, rest] = halves(readme, BEGIN);
  const [, after] = halves(rest, END);
  return `${before}${BEGIN}\n${result === undefined ? "" : `\n${table(result)}\n`}${END}${after}`;
}

function table({ figures, machine, node, commit, at }: Result): string {
  const rows = figures
    .filter(({ headline }) => headline)
    .map(({ name, kind, value, must, aim }) => {
      const cells = [value, must, aim].map((each) => amount(each, kind));
      return `| ${kind === "rate" ? "↑" : "↓"} ${name} | ${cells.join(" | ")} |`;
    });
  const certificates = machine.extra_certificates ? ", with NODE_EXTRA_CA_CERTS" : "";
  return [
    "| work, of its floor | cox | must | aim |",
    "|---|---:|---:|---:|",
    ...rows,
    "",
    `${at.slice(0, 10)}, ${commit}, Node ${node.slice(1)}${certificates}, ${machine.cores} cores of ${machine.cpu}.`,
    "",
    "![Each figure as a bar, beside what it must be and aims at](docs/images/bench.svg)",
    "",
    "![What work costs as the history grows](docs/images/history.svg)",
    "",
  ].join("\n");
}

function halves(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`README.md: ${mark} is missing`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
