import { lexer, type Token, type Tokens } from "marked";
import { Fragment, memo, type ReactNode } from "react";
import { printable } from "../base/safe-text.ts";
import { Code } from "./code.tsx";
import { safeHref } from "./safe-href.ts";

/**
 * An agent's markdown as React nodes, never as HTML: its tags are shown as text, its links only lead where a link may,
 * its images are named, not fetched.
 */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const safe = printable(text);
  return <div className="markdown">{isTangled(safe) ? <p className="pre-wrap">{safe}</p> : read(safe)}</div>;
});

/** The lexer goes down one call for each level: what has none is refused before, what slips through is caught. */
function read(text: string): ReactNode {
  try {
    return blocks(lexer(text, { gfm: true }), 0);
  } catch {
    return <p className="pre-wrap">{text}</p>;
  }
}

/** Nobody quotes a quote twenty times, or opens a hundred brackets in a row. */
const isTangled = (text: string) =>
  /(?:>[ \t]*){20}|(?:[-+*][ \t]+){20}|[[(!<]{100}|(?:[*_~`]{2}[^\n]{0,3}){100}/.test(text);

/** Beyond this nesting nobody writes on purpose. */
const DEEPEST = 12;

function blocks(tokens: readonly Token[], depth: number): ReactNode {
  return tokens.map((token, i) => <Fragment key={i}>{block(token, depth)}</Fragment>);
}

function block(token: Token, depth: number): ReactNode {
  if (depth > DEEPEST) return token.raw;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "code":
      return <Code text={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ""} />;
    case "heading": {
      const Tag = (["h3", "h3", "h4", "h5", "h6", "h6"] as const)[(token as Tokens.Heading).depth - 1] ?? "h6";
      return <Tag>{inline(token.tokens, depth)}</Tag>;
    }
    case "hr":
      return <hr />;
    case "blockquote":
      return <blockquote>{blocks(token.tokens ?? [], depth + 1)}</blockquote>;
    case "list":
      return list(token as Tokens.List, depth);
    case "table":
      return table(token as Tokens.Table, depth);
    case "paragraph":
      return <p>{inline(token.tokens, depth)}</p>;
    case "text":
      return token.tokens === undefined ? entities(token.raw) : inline(token.tokens, depth);
    default:
      return <p className="pre-wrap">{token.raw}</p>; // HTML: as it was written
  }
}

function list({ ordered, start, items }: Tokens.List, depth: number): ReactNode {
  const entries = items.map((item, i) => (
    <li key={i} className={item.task ? "task" : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} readOnly tabIndex={-1} aria-label="Done" />}
      {blocks(
        item.tokens.filter(({ type }) => type !== "checkbox"),
        depth + 1,
      )}
    </li>
  ));
  return ordered ? <ol start={start === "" ? 1 : start}>{entries}</ol> : <ul>{entries}</ul>;
}

function table({ header, rows }: Tokens.Table, depth: number): ReactNode {
  return (
    <div className="scroll-x">
      <table>
        <thead>
          <tr>
            {header.map((cell, i) => (
              <th key={i}>{inline(cell.tokens, depth)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>{inline(cell.tokens, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  if (tokens === undefined) return null;
  return tokens.map((token, i) => <Fragment key={i}>{span(token, depth + 1)}</Fragment>);
}

function span(token: Token, depth: number): ReactNode {
  if (depth > DEEPEST) return token.raw;
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens, depth)}</strong>;
    case "em":
      return <em>{inline(token.tokens, depth)}</em>;
    case "del":
      return <del>{inline(token.tokens, depth)}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
      return <SafeLink href={(token as Tokens.Link).href}>{inline(token.tokens, depth)}</SafeLink>;
    case "image":
      return (
        <SafeLink href={(token as Tokens.Image).href}>
          [image: {(token as Tokens.Image).text || "without a name"}]
        </SafeLink>
      );
    case "escape":
      return (token as Tokens.Escape).text;
    case "text":
      return token.tokens === undefined ? entities(token.raw) : inline(token.tokens, depth);
    default:
      return token.raw;
  }
}

function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  const safe = safeHref(href);
  if (safe === undefined) return <span title={href.slice(0, 200)}>{children}</span>;
  return (
    <a href={safe} title={safe.slice(0, 300)} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** The few that people write. */
function entities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,6})|(\w{2,4}));/g, (whole, code: string | undefined, name: string | undefined) => {
    if (name !== undefined) return named[name] ?? whole;
    const point = Number(code);
    return point >= 32 && point < 0x110000 && (point < 0xd800 || point > 0xdfff)
      ? printable(String.fromCodePoint(point))
      : whole;
  });
}
