import { Fragment, memo, type ReactNode, useEffect, useState } from "react";
import { CopyButton } from "../ui/parts.tsx";
import type { Painted } from "./highlight.ts";

/** Beyond this a code block is plain: colouring it would cost more than it tells. */
const COLOURED = 20_000;

export const Code = memo(function Code({ text, language }: { text: string; language: string }) {
  const name = language.split(/\s/)[0] ?? "";
  return (
    <div className="code">
      <div className="code-head">
        <span>{name}</span>
        <CopyButton text={text} label="Copy code" />
      </div>
      <pre tabIndex={0} aria-label={name === "" ? "Code" : `Code, ${name}`}>
        <Coloured text={text} language={name} />
      </pre>
    </div>
  );
});

/** The colours come when their grammar is loaded; the text is there at once. */
export function Coloured({ text, language }: { text: string; language: string }) {
  const [painted, setPainted] = useState<{ of: string; nodes: readonly Painted[] }>();
  useEffect(() => {
    if (language === "" || text.length > COLOURED) return;
    let wanted = true;
    void import("./highlight.ts").then(async ({ highlight }) => {
      const nodes = await highlight(text, language);
      if (wanted && nodes !== undefined) setPainted({ of: text, nodes });
    });
    return () => {
      wanted = false;
    };
  }, [text, language]);
  return painted?.of === text ? paint(painted.nodes) : text;
}

export function paint(nodes: readonly Painted[]): ReactNode {
  return nodes.map((node, i) =>
    typeof node === "string" ? (
      <Fragment key={i}>{node}</Fragment>
    ) : (
      <span key={i} className={node.scope}>
        {paint(node.children)}
      </span>
    ),
  );
}
