import { describe, expect, test } from "vitest";
import { parseTemplate, renderTemplate } from "./template.ts";

const results = { branch: "fix/login", commit: "{{ .Deps }}" };
const data = {
  Deps: { "task-a": { Results: results, Outputs: ["branch: fix/login", "pr: 7"] } },
  deps: { "task-a": { results, turns: 3, merged: true, nothing: null } },
};
const render = (text: string) => renderTemplate(parseTemplate(text), data);

test.each([
  ["text without braces", "a { b } c", "a { b } c"],
  ["Go's form", 'from {{ index .Deps "task-a" "Results" "branch" }}!', "from fix/login!"],
  ["Go's form without blanks", '{{index .Deps "task-a" "Results" "branch"}}', "fix/login"],
  ["over two lines", '{{ index .Deps\n "task-a" "Results" "branch" }}', "fix/login"],
  ["the short form", "{{deps.task-a.results.branch}}", "fix/login"],
  ["a path from the root", "{{ .Deps.task-a.Results.branch }}", "fix/login"],
  ["a number and a truth", "{{deps.task-a.turns}} {{deps.task-a.merged}}", "3 true"],
  ["a list, a line each", "{{ .Deps.task-a.Outputs }}", "branch: fix/login\npr: 7"],
  ["several", "{{deps.task-a.turns}}{{deps.task-a.turns}}", "33"],
  ["the braces themselves", '{{ "{{" }} x }} {{ "}}" }}', "{{ x }} }}"],
  ["what is filled in is not expanded again", "{{deps.task-a.results.commit}}", "{{ .Deps }}"],
])("%s", (_, text, expected) => {
  expect(render(text)).toBe(expected);
});

describe("refused, with the place", () => {
  test.each([
    ["a function we don't have", "{{ range .Deps }}"],
    ["a pipe", "{{ deps.task-a.turns | upper }}"],
    ["nothing", "{{}}"],
    ["only blanks", "{{   }}"],
    ["trim marks", "{{- deps.task-a.turns -}}"],
    ["index without a key", "{{ index .Deps }}"],
    ["index of a text", '{{ index "Deps" "task-a" }}'],
    ["index with a path as key", "{{ index .Deps .Deps }}"],
    ["a bad escape", '{{ index .Deps "\\x" }}'],
    ["two paths", "{{ deps.task-a.turns deps.task-a.turns }}"],
    ["a comment", "{{/* no */}}"],
    ["a lone dot", "{{ . }}"],
    ["never closed", "{{ deps.task-a.turns"],
    ["closed by one brace", "{{ deps.task-a.turns }"],
    ["a quote never closed", '{{ index .Deps "task-a }}'],
    ["opened twice", "{{ {{ deps.task-a.turns }}"],
    ["a missing key", "{{deps.task-a.results.pr}}"],
    ["a missing dependency", '{{ index .Deps "task-b" "Results" "branch" }}'],
    ["a key of a text", "{{deps.task-a.results.branch.x}}"],
    ["a group of values", "{{deps.task-a.results}}"],
    ["null", "{{deps.task-a.nothing}}"],
    ["what every object has", "{{ constructor.name }}"],
    ["the prototype", "{{ __proto__.toString }}"],
  ])("%s", (_, action) => {
    expect(() => render(`one\ntwo ${action}`)).toThrow(
      expect.objectContaining({ code: "template.invalid", details: { line: 2, column: 5 } }),
    );
  });

  test("a missing key says which are there", () => {
    expect(() => render("{{deps.task-a.results.pr}}")).toThrow(
      /there is no deps › task-a › results › pr \(there is branch, commit\)/,
    );
  });
});

test("a long text with many places is parsed once over", () => {
  const text = `${"x".repeat(100)}{{deps.task-a.turns}}`.repeat(20_000);
  expect(render(text)).toHaveLength(101 * 20_000);
});
