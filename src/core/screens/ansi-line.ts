import type { IBufferCell, IBufferLine } from "@xterm/headless";

/** A row of the screen with its colours, as a terminal would have to be told. Blanks at the end without a look are left out. */
export function ansiLine(line: IBufferLine, cell: IBufferCell): string {
  let text = "";
  let pending = "";
  let style = "";
  for (let column = 0; column < line.length; column += 1) {
    const here = line.getCell(column, cell);
    if (here === undefined || here.getWidth() === 0) continue; // the right half of a wide character
    const wanted = styleOf(here);
    const char = here.getChars() || " ";
    if (wanted === style) pending += char;
    else {
      text += style === "" ? pending : pending.concat(RESET);
      if (wanted !== "") text += `\x1b[${wanted}m`;
      pending = char;
      style = wanted;
    }
  }
  return style === "" ? text + pending.trimEnd() : text + pending + RESET;
}

const RESET = "\x1b[0m";

/** The parameters of SGR, "" for none. */
function styleOf(cell: IBufferCell): string {
  if (cell.isAttributeDefault()) return "";
  const codes: (number | string)[] = [];
  if (cell.isBold()) codes.push(1);
  if (cell.isDim()) codes.push(2);
  if (cell.isItalic()) codes.push(3);
  if (cell.isUnderline()) codes.push(4);
  if (cell.isBlink()) codes.push(5);
  if (cell.isInverse()) codes.push(7);
  if (cell.isInvisible()) codes.push(8);
  if (cell.isStrikethrough()) codes.push(9);
  if (cell.isFgRGB()) codes.push(rgb(38, cell.getFgColor()));
  else if (cell.isFgPalette()) codes.push(palette(30, cell.getFgColor()));
  if (cell.isBgRGB()) codes.push(rgb(48, cell.getBgColor()));
  else if (cell.isBgPalette()) codes.push(palette(40, cell.getBgColor()));
  return codes.join(";");
}

const rgb = (code: 38 | 48, color: number) => `${code};2;${(color >> 16) & 255};${(color >> 8) & 255};${color & 255}`;

function palette(base: 30 | 40, color: number): string | number {
  if (color < 8) return base + color;
  return color < 16 ? base + 60 + color - 8 : `${base + 8};5;${color}`;
}
