import { homeNews } from "../../../core/runs/home-news.ts";
import type { Home } from "../../../core/store/home.ts";
import { fit } from "../../../lib/command/columns.ts";
import type { Context } from "../../../lib/command/command.ts";
import type { Page } from "../../../lib/command/paint.ts";
import type { Key } from "./live/keys.ts";
import { type App, FullScreen } from "./terminal/full-screen.ts";
import type { Sheet } from "./terminal/sheet.ts";

/** A table of so many columns, its head in the first line; empty when there is nothing to list. */
type Table = (width: number) => string;

/** A list that follows what runs do, until it is left. */
export async function watchList(
  home: Home,
  context: Context,
  { look, empty, color }: { look(): Promise<Table>; empty: string; color?: "auto" | "never" },
): Promise<number> {
  const app = new ListApp(await look(), empty);
  const screen = new FullScreen(context, app, color);
  try {
    for await (const _ of homeNews(home, context.clock, screen.left)) {
      app.table = await look();
      screen.refresh();
    }
  } finally {
    screen.close();
  }
  return screen.code;
}

class ListApp implements App {
  table: Table;
  readonly #empty: string;

  constructor(table: Table, empty: string) {
    this.table = table;
    this.#empty = empty;
  }

  show({ width, paint }: Page): Sheet {
    const [head = "", ...rows] = this.table(width).trimEnd().split("\n");
    const foot = [paint.dim(fit("[q] leave", width))];
    if (head === "") return { id: "", asks: "", head: [], body: [fit(this.#empty, width)], foot };
    return { id: "", asks: "", head: [paint.bold(fit(head, width))], body: rows.map((row) => fit(row, width)), foot };
  }

  press(key: Key): "leave" | undefined {
    return key.key === "text" && !key.pasted && key.text === "q" ? "leave" : undefined;
  }
}
