import type { Context } from "./command.ts";

/** Colours as functions, so that whoever renders doesn't know whether there are any. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const sgr = (on: number, off: number) => (text: string) => (text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`);

export const colours: Paint = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39),
};

const plain = (text: string) => text;

export const noColours: Paint = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };

/** What a renderer is given: how wide, and in what colours. */
export interface Page {
  width: number;
  paint: Paint;
}

/** https://no-color.org: set to anything but nothing, it wins; so does `color: never` in the config. */
export function paintFor({ env, stdout }: Pick<Context, "env" | "stdout">, color: "auto" | "never" = "auto"): Paint {
  const wanted = color === "auto" && (env.NO_COLOR === undefined || env.NO_COLOR === "");
  return wanted && stdout.isTTY && env.TERM !== "dumb" ? colours : noColours;
}
