import { describe, expect, test } from "vitest";
import { parseArguments } from "./arguments.ts";

const options = {
  agent: { short: "a", value: "NAME", help: "" },
  body: { value: "TEXT", help: "" },
  env: { short: "e", value: "K=V", repeat: true, help: "" },
  detach: { short: "d", help: "" },
  json: { help: "" },
  quiet: { short: "q", help: "" },
} as const;

const parse = (args: readonly string[]) => parseArguments("thing", options, args);

describe("arguments", () => {
  test.each<[string, string[], Record<string, unknown>, string[]]>([
    ["words and options in any order", ["a", "--json", "b", "-d"], { json: true, detach: true }, ["a", "b"]],
    ["a value beside its option", ["--agent", "x", "-a", "y"], { agent: "y" }, []],
    ["a value joined to it", ["--body=a=b", "-ax"], { body: "a=b", agent: "x" }, []],
    ["an empty value", ["--body=", "--agent", ""], { body: "", agent: "" }, []],
    ["letters together", ["-dq"], { detach: true, quiet: true }, []],
    ["letters together, the last with a value", ["-da", "x", "-qay"], { detach: true, agent: "y", quiet: true }, []],
    ["what is repeated", ["-e", "A=1", "--env=B=2", "-eC=3"], { env: ["A=1", "B=2", "C=3"] }, []],
    ["all is a word after --", ["x", "--", "--json", "--", "-d"], {}, ["x", "--json", "--", "-d"]],
    ["a dash alone is a word, and a value", ["-", "--body", "-"], { body: "-" }, ["-"]],
    ["an item of a list as a value", ["--body", "- item"], { body: "- item" }, []],
    ["any text with a dash as a value", ["--body", "-no", "--agent", "--x y"], { body: "-no", agent: "--x y" }, []],
    ["a letter that is no option here, as a value", ["--body", "-x"], { body: "-x" }, []],
    ["an option of another program as a value", ["--body", "--verbose"], { body: "--verbose" }, []],
    ["a number below 0", ["--body", "-1", "-2", "-.5"], { body: "-1" }, ["-2", "-.5"]],
    ["an item of a list as a word", ["- do this", "-d"], { detach: true }, ["- do this"]],
    ["a list of several lines", ["- a\n- b"], {}, ["- a\n- b"]],
    ["a sentence that begins with a dash", ["-do this", "--json is broken"], {}, ["-do this", "--json is broken"]],
    ["a line across, a signature", ["---", "--- a/x", "-- Tom"], {}, ["---", "--- a/x", "-- Tom"]],
    ["a value with blanks, joined to its letter", ["-eA=b c"], { env: ["A=b c"] }, []],
  ])("%s", (_, args, values, positionals) => {
    expect(parse(args)).toEqual({ values, positionals });
  });

  test.each<[string, string[], string]>([
    ["a mistyped option", ["--agnet", "x"], "--agnet: no such option; did you mean --agent?"],
    ["one with a value", ["--agnet=x"], "--agnet: no such option; did you mean --agent?"],
    ["one that is like no other", ["--zzz"], "--zzz: no such option; if it is no option, write -- before it"],
    ["a letter", ["-x"], "-x: no such option; if it is no option, write -- before it"],
    ["a letter of several", ["-dx"], "-x (of -dx): no such option; if it is no option, write -- before it"],
    ["a word that could be letters", ["-no"], "-n (of -no): no such option; if it is no option, write -- before it"],
    [
      "an option of every object",
      ["--constructor"],
      "--constructor: no such option; if it is no option, write -- before it",
    ],
    ["a switch with a value", ["--json=yes"], "--json: takes no value"],
    ["a value that is missing", ["--agent"], "--agent: what? it needs a value"],
    ["a value that is missing before --", ["-a", "--", "x"], "-a: what? it needs a value"],
    [
      "an option where a value should be",
      ["--agent", "--json"],
      "--agent: what? it needs a value, and --json is an option; if it is the value, say --agent=--json",
    ],
    [
      "a letter where a value should be",
      ["-a", "-d"],
      "-a: what? it needs a value, and -d is an option; if it is the value, say -a-d",
    ],
    [
      "a mistyped option where a value should be",
      ["--body", "--agnet", "x"],
      "--body: what? it needs a value, and --agnet looks like --agent; if it is the value, say --body=--agnet",
    ],
  ])("refuses %s", (_, args, why) => {
    const message = `cox thing: ${why}; see \`cox thing --help\``;
    expect(() => parse(args)).toThrow(expect.objectContaining({ code: "usage.invalid", message }));
  });
});
