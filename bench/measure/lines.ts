import type { Change } from "./check.ts";
import { doubt, type Figure, type Kind } from "./figure.ts";

const WIDTH = 66;
const units: Record<Kind, string> = { cost: "x", rate: "x", ms: " ms", MB: " MB" };

export const amount = (value: number, kind: Kind): string =>
  `${value >= 100 ? value.toFixed(0) : value.toFixed(2)}${units[kind]}`;

export function figureLine({ name, kind, value, must, aim, verdict, spread, aa }: Figure): string {
  const side = kind === "rate" ? ">=" : "<=";
  const limits = `must ${side} ${must}, aim ${aim}`.padEnd(24);
  return `${name.padEnd(WIDTH)} ${amount(value, kind).padStart(9)} ±${percent(doubt({ spread, aa }))}   ${limits} ${verdict}`;
}

/** What follows a figure that has been measured before. */
export function changeWords({ more, allowed, verdict }: Change): string {
  return `; ${verdict}: ${more < 0 ? "-" : "+"}${percent(Math.abs(more))}, up to +${percent(allowed)} may be`;
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
