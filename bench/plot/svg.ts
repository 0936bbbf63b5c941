/** The little of SVG that our drawings need. Colours are names of a style that follows the reader's: light or dark. */
export type Attributes = Record<string, string | number>;

export const element = (name: string, attributes: Attributes, content = ""): string => {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return content === "" ? `<${name}${written.join("")}/>` : `<${name}${written.join("")}>${content}</${name}>`;
};

export const words = (x: number, y: number, content: string, style = ""): string =>
  element("text", { x, y, class: style }, escaped(content));

export const line = (x1: number, y1: number, x2: number, y2: number, style: string): string =>
  element("line", { x1, y1, x2, y2, class: style });

export function drawing(width: number, height: number, title: string, parts: readonly string[]): string {
  const frame = { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height, role: "img" };
  const inside = [`<title>${escaped(title)}</title>`, `<style>${STYLE}</style>`, ...parts];
  return `${element("svg", frame, `\n${inside.join("\n")}\n`)}\n`;
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);

const STYLE = `
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.quiet { fill: #59636e; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.head { font-weight: 600; }
.track { fill: #eff2f5; }
.aim { fill: #1a7f37; }
.ok { fill: #0969da; }
.missed { fill: #cf222e; }
.unsure { fill: #9a6700; }
.must { stroke: #1f2328; stroke-width: 1.5; }
.wanted { stroke: #1f2328; stroke-width: 1.5; stroke-dasharray: 2 2; }
.grid { stroke: #d1d9e0; }
.course { stroke: #0969da; stroke-width: 2; fill: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .quiet { fill: #9198a1; }
  .track { fill: #262c36; }
  .aim { fill: #3fb950; }
  .ok { fill: #4493f8; }
  .missed { fill: #f85149; }
  .unsure { fill: #d29922; }
  .must, .wanted { stroke: #f0f6fc; }
  .grid { stroke: #3d444d; }
  .course { stroke: #4493f8; }
}
`;
