import type { LanguageFn } from "highlight.js";
import hljs from "highlight.js/lib/core";

/** A piece of coloured code: text, or a scope with pieces in it. Never HTML. */
export type Painted = string | { scope: string; children: Painted[] };

const loaders: Readonly<Record<string, () => Promise<{ default: LanguageFn }>>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  go: () => import("highlight.js/lib/languages/go"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  php: () => import("highlight.js/lib/languages/php"),
  python: () => import("highlight.js/lib/languages/python"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

const aliases: Readonly<Record<string, string>> = {
  cc: "cpp",
  cjs: "javascript",
  cs: "csharp",
  cts: "typescript",
  h: "c",
  hpp: "cpp",
  html: "xml",
  js: "javascript",
  jsx: "javascript",
  kt: "kotlin",
  md: "markdown",
  mjs: "javascript",
  mts: "typescript",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  svg: "xml",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  vue: "xml",
  yml: "yaml",
  zsh: "bash",
};

/** `undefined` for a language nobody knows. */
export async function highlight(text: string, language: string): Promise<Painted[] | undefined> {
  const asked = language.toLowerCase();
  const name = aliases[asked] ?? asked;
  const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  if (load === undefined) return undefined;
  if (hljs.getLanguage(name) === undefined) hljs.registerLanguage(name, (await load()).default);
  const result = hljs.highlight(text, { language: name, ignoreIllegals: true });
  return nodesIn((result._emitter as unknown as { root: Tree }).root);
}

/** highlight.js's own tree; what it makes of it as HTML we leave alone. */
interface Tree {
  scope?: string;
  children: (string | Tree)[];
}

const nodesIn = ({ children }: Tree): Painted[] =>
  children.map((child) =>
    typeof child === "string" ? child : { scope: classFor(child.scope ?? ""), children: nodesIn(child) },
  );

const classFor = (scope: string): string => `hl-${scope.split(".")[0]?.replace(/[^\w-]/g, "") ?? ""}`;

/** What a file's name says about its language. */
export const languageOf = (path: string): string => path.split("/").at(-1)?.split(".").at(-1) ?? "";
