import { describe, expect, test } from "vitest";
import { testContext } from "../../faces/cli/testing/test-context.ts";
import { command, runCommand } from "./command.ts";
import { group } from "./group.ts";

const ls = command({
  name: "thing ls",
  summary: "List things.",
  usage: "cox thing ls [--json]",
  words: [0, 0],
  options: { json: { help: "print JSON" } },
  run: ({ values }, { stdout }) => {
    stdout.write(values.json ? "json\n" : "list\n");
    return 0;
  },
});
const show = command({
  name: "thing show",
  summary: "Show one thing.",
  usage: "cox thing show NAME",
  words: [1, 1],
  options: {},
  run: ({ positionals: [name] }, { stdout }) => {
    stdout.write(`${name}\n`);
    return 0;
  },
});
const verbs = { ls, show: { summary: "show one thing", load: () => Promise.resolve({ default: show }) } };
const thing = { name: "thing", summary: "Things.", verbs };

async function cox(spec: Parameters<typeof group>[0], ...args: string[]): Promise<string> {
  const context = testContext();
  await runCommand(group(spec), args, context);
  return context.out();
}

describe("a command with verbs", () => {
  test("does what the verb says, with the verb's own options", async () => {
    expect(await cox(thing, "ls", "--json")).toBe("json\n");
    expect(await cox(thing, "show", "x")).toBe("x\n");
  });

  test("says what its verbs are", async () => {
    const help = await cox(thing, "--help");
    expect(help).toBe(
      "Things.\n\nUsage: cox thing VERB [options]\n\n  ls    list things\n  show  show one thing\n\nHelp on one of them: cox help thing VERB\n",
    );
    expect(await cox(thing, "help")).toBe(help);
  });

  test("has a page for each", async () => {
    expect(await cox(thing, "ls", "--help")).toMatch(/^List things\.\n\nUsage: cox thing ls \[--json\]\n\nOptions:\n/);
    expect(await cox(thing, "show", "-h")).toBe("Show one thing.\n\nUsage: cox thing show NAME\n");
    const page = await cox(thing, "ls", "--help");
    expect(await cox(thing, "help", "ls")).toBe(page);
    expect(await cox(thing, "--help", "ls")).toBe(page);
    await expect(cox(thing, "help", "sing")).rejects.toMatchObject({ code: "usage.invalid" });
  });

  test("does what is usual where none is said", async () => {
    expect(await cox({ ...thing, otherwise: "ls" })).toBe("list\n");
    expect(await cox({ ...thing, otherwise: "ls" }, "--json")).toBe("json\n");
    expect(await cox({ ...thing, otherwise: "ls" }, "--help")).toContain("\nOptions:\n      --json  print JSON\n");
  });

  test.each([
    [["sing"], "cox thing: sing: unknown; say ls, show; see `cox thing --help`"],
    [["toString"], "cox thing: toString: unknown; say ls, show; see `cox thing --help`"],
    [[], "cox thing: what to do? say ls, show; see `cox thing --help`"],
    [["--json", "ls"], "cox thing: --json: what to do comes first; say ls, show; see `cox thing --help`"],
    [["show"], "cox thing show: something is missing; usage: cox thing show NAME"],
    [["ls", "x"], "cox thing ls: too many words; usage: cox thing ls [--json]"],
    [
      ["show", "x", "--json"],
      "cox thing show: --json: no such option; if it is no option, write -- before it; see `cox thing show --help`",
    ],
  ])("refuses %j", async (args, message) => {
    await expect(cox(thing, ...args)).rejects.toMatchObject({ code: "usage.invalid", message });
  });
});
