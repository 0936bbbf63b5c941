import { Fragment, memo, type ReactNode } from "react";
import { printable } from "../base/safe-text.ts";

/** What a program printed: its colours kept, everything else a terminal would obey taken out. */
export const Ansi = memo(function Ansi({ text }: { text: string }) {
  return <>{pieces(text)}</>;
});

interface Style {
  colour: number | undefined;
  bold: boolean;
  faint: boolean;
}

const plain: Style = { colour: undefined, bold: false, faint: false };

function pieces(text: string): ReactNode {
  if (!text.includes("\u001b")) return printable(text);
  let style = plain;
  return text.split(/(\u001b\[[\d;]*m)/).map((piece, i) => {
    const codes = /^\u001b\[([\d;]*)m$/.exec(piece)?.[1];
    if (codes !== undefined) {
      style = styled(style, codes);
      return null;
    }
    const words = printable(piece);
    if (words === "") return null;
    const name = classFor(style);
    return name === "" ? (
      <Fragment key={i}>{words}</Fragment>
    ) : (
      <span key={i} className={name}>
        {words}
      </span>
    );
  });
}

export function styled(style: Style, codes: string): Style {
  let next = style;
  const list = codes.split(";").map(Number);
  for (let i = 0; i < list.length; i += 1) {
    const code = list[i] ?? 0;
    if (code === 0) next = plain;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, faint: true };
    else if (code === 22) next = { ...next, bold: false, faint: false };
    else if (code === 39) next = { ...next, colour: undefined };
    else if (code >= 30 && code <= 37) next = { ...next, colour: code - 30 };
    else if (code >= 90 && code <= 97) next = { ...next, colour: code - 90 };
    else if (code === 38 || code === 48) i += list[i + 1] === 5 ? 2 : 4; // of 256, or of millions: left out
  }
  return next;
}

function classFor({ colour, bold, faint }: Style): string {
  const names = [];
  if (colour !== undefined) names.push(`ansi-${colour}`);
  if (bold) names.push("ansi-bold");
  if (faint) names.push("ansi-faint");
  return names.join(" ");
}
