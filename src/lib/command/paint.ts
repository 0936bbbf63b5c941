import type { Context } from "./command.ts";

/** Colours as functions, so that whoever renders doesn't know whether there are any. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
  readonly italic: (text: string) => string;
  readonly marks: Marks;
}

/** Signs that say something by themselves. */
export interface Marks {
  readonly done: string;
  readonly failed: string;
  readonly running: string;
  readonly refused: string;
  /** Said by a person: as a turn of its own, and into one. */
  readonly prompt: string;
  readonly steer: string;
  /** Between figures, and before what is only worth a note. */
  readonly dot: string;
  readonly arrow: string;
  /** Where something was cut off. */
  readonly more: string;
  readonly minus: string;
  readonly busy: string;
  readonly bullet: string;
  readonly secret: string;
  readonly enter: string;
  readonly box: { readonly top: string; readonly side: string; readonly bottom: string };
  readonly plan: { readonly todo: string; readonly now: string; readonly done: string; readonly dropped: string };
}

const unicodeMarks: Marks = {
  done: "✓",
  failed: "✗",
  running: "⋯",
  refused: "⊘",
  prompt: "›",
  steer: "»",
  dot: "·",
  arrow: "→",
  more: "…",
  minus: "−",
  busy: "●",
  bullet: "•",
  secret: "•",
  enter: "⏎",
  box: { top: "┌", side: "│", bottom: "└" },
  plan: { todo: "☐", now: "▸", done: "☑", dropped: "⊘" },
};

const asciiMarks: Marks = {
  done: "+",
  failed: "x",
  running: "~",
  refused: "-",
  prompt: ">",
  steer: ">>",
  dot: "-",
  arrow: "->",
  more: "...",
  minus: "-",
  busy: "*",
  bullet: "-",
  secret: "*",
  enter: "|",
  box: { top: "+", side: "|", bottom: "+" },
  plan: { todo: "[ ]", now: "[>]", done: "[x]", dropped: "[-]" },
};

const sgr = (on: number, off: number) => (text: string) => (text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`);

export const colours: Paint = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39),
  italic: sgr(3, 23),
  marks: unicodeMarks,
};

const plain = (text: string) => text;

export const noColours: Paint = {
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  yellow: plain,
  cyan: plain,
  italic: plain,
  marks: unicodeMarks,
};

/** What a renderer is given: how wide, and in what colours. */
export interface Page {
  width: number;
  paint: Paint;
}

/** https://no-color.org: set to anything but nothing, it wins; so does `color: never` in the config. */
export function paintFor({ env, stdout }: Pick<Context, "env" | "stdout">, color: "auto" | "never" = "auto"): Paint {
  const wanted = color === "auto" && (env.NO_COLOR === undefined || env.NO_COLOR === "");
  const isColoured = wanted && stdout.isTTY && env.TERM !== "dumb";
  return isColoured ? { ...colours, marks: marksFor(env) } : plainPaint(env);
}

/** For files, pipes, and lines that nothing but text may be in. */
export const plainPaint = (env: NodeJS.ProcessEnv): Paint => ({ ...noColours, marks: marksFor(env) });

/** As POSIX says which of them counts; where nothing is said, nearly every terminal can do it. */
export function marksFor(env: NodeJS.ProcessEnv): Marks {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  return locale === "" || /utf-?8/i.test(locale) ? unicodeMarks : asciiMarks;
}
