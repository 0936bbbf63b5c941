import { describe, expect, test } from "vitest";
import { answer, optionFor, printable, type Reply } from "./answering.ts";
import type { Dialog } from "./detect/dialog.ts";
import { type Prompt, promptOf } from "./state/agent-state.ts";

/** A menu that moves by arrows and takes Enter, after being deaf for a while. */
class Menu {
  readonly taken: string[] = [];
  typed = "";
  selected: number;
  readonly #pages: { title: string; options: string[] }[];
  #deaf: number;

  constructor(pages: { title: string; options: string[] }[], { selected = 0, deaf = 0 } = {}) {
    this.#pages = pages;
    this.selected = selected;
    this.#deaf = deaf;
  }

  readonly hands = {
    look: async (): Promise<Dialog | undefined> => {
      const page = this.#pages[0];
      if (page === undefined) return undefined;
      return { options: page.options, selected: this.selected, text: [page.title], hints: [] };
    },
    type: (keys: string) => this.#take(keys),
    changed: async () => {},
    pause: async () => {},
  };

  #take(keys: string): void {
    const page = this.#pages[0];
    if (page === undefined) return void (this.typed += keys);
    if (keys === "\x1b[A" || keys === "\x1b[B") {
      this.selected = (this.selected + (keys === "\x1b[A" ? -1 : 1) + page.options.length) % page.options.length;
    } else if (keys === "\r" || keys === "\x1b") {
      this.#deaf -= 1;
      if (this.#deaf >= 0) return;
      this.taken.push(
        keys === "\x1b" ? "escape" : `${page.options[this.selected]}${this.typed === "" ? "" : `: ${this.typed}`}`,
      );
      this.typed = "";
      this.#pages.shift();
      this.selected = 0;
    } else this.typed += keys;
  }
}

const CLAUDE = ["Yes", "Yes, and always allow", "Yes, and switch to auto mode", "No"];
const one = (options: string[], how = {}) => new Menu([{ title: "May I?", options }], how);

async function taken(menu: Menu, prompt: Prompt, reply: Reply) {
  const done = await answer(menu.hands, prompt, reply);
  return { done, taken: menu.taken };
}

describe("an answer", () => {
  const permission = promptOf("permission");
  test.each<[string, Menu, Reply, string]>([
    ["yes", one(CLAUDE), { accept: true }, "Yes"],
    ["no is the line that says no, wherever it stands", one(CLAUDE), { accept: false }, "No"],
    ["nothing said is no", one(CLAUDE), {}, "No"],
    ["by its number", one(CLAUDE), { option: 2 }, "Yes, and always allow"],
    ["from below", one(CLAUDE, { selected: 3 }), { accept: true }, "Yes"],
    [
      "where no comes first",
      one(["No, exit", "Yes, I trust this folder"]),
      { accept: true },
      "Yes, I trust this folder",
    ],
    ["where nothing says no", one(["Allow once", "Allow for this session"]), { accept: false }, "escape"],
    ["a dialog that is deaf at first", one(CLAUDE, { deaf: 2 }), { accept: true }, "Yes"],
    [
      "in words",
      one(["Yes", "No", "Type something."]),
      { text: "do it\nbetter\x1b[A" },
      "Type something.: do it\nbetter[A",
    ],
  ])("%s", async (_, menu, reply, expected) => {
    expect(await taken(menu, permission, reply)).toMatchObject({ taken: [expected] });
  });

  test("an option that isn't there is said, and nothing typed", async () => {
    const menu = one(CLAUDE);
    expect(await taken(menu, permission, { option: 7 })).toEqual({
      done: { reason: "there is no option 7; it has 4" },
      taken: [],
    });
  });

  test("a dialog that never goes is not called answered", async () => {
    expect((await taken(one(CLAUDE, { deaf: 99 }), permission, { accept: true })).done).toEqual({
      reason: expect.stringContaining("stayed"),
    });
  });

  test("without a list Enter is yes and Escape is no", async () => {
    for (const [reply, keys] of [
      [{ accept: true }, "\r"],
      [{ accept: false }, "\x1b"],
      [{ option: 1 }, "\r"],
      [{ text: "y" }, "y\r"],
    ] as const) {
      const menu = new Menu([]);
      await answer(menu.hands, permission, reply);
      expect(menu.typed).toBe(keys);
    }
  });
});

test.each([1, 4, 9, 11])("a menu that shows each key only after %i looks is not overrun", async (lag) => {
  const menu = one(CLAUDE);
  const late: { keys: string; due: number }[] = [];
  let looks = 0;
  const tick = () => {
    looks += 1;
    while (late[0] !== undefined && late[0].due <= looks) menu.hands.type(late.shift()?.keys ?? "");
  };
  const hands = {
    ...menu.hands,
    type: (keys: string) => void late.push({ keys, due: looks + lag }),
    changed: async () => tick(),
  };
  await answer(hands, promptOf("permission"), { accept: false });
  for (let more = 0; more < 100; more += 1) tick();
  expect(menu.taken).toEqual(["No"]);
});

describe("a question", () => {
  const pages = () => [
    { title: "Colour?", options: ["red", "blue", "Type something."] },
    { title: "Size?", options: ["small", "large", "Type something."] },
    { title: "Ready?", options: ["Submit answers", "Cancel"] },
  ];
  const question = promptOf("question");

  test("each of several, then all are handed in", async () => {
    const menu = new Menu(pages());
    await answer(menu.hands, question, { answers: [{ option: 2 }, { text: "huge" }] });
    expect(menu.taken).toEqual(["blue", "Type something.: huge", "Submit answers"]);
  });

  test("a single one by option or text alone", async () => {
    for (const [reply, expected] of [
      [{ option: 2 }, "blue"],
      [{ text: "green" }, "Type something.: green"],
    ] as const) {
      const menu = new Menu(pages().slice(0, 1));
      expect(await answer(menu.hands, question, reply)).toEqual({ option: expect.any(Number) });
      expect(menu.taken).toEqual([expected]);
    }
  });

  test("without an answer nothing is typed, and it says so", async () => {
    const menu = new Menu(pages());
    expect(await answer(menu.hands, question, {})).toEqual({ reason: expect.stringContaining("needs an option") });
    expect(menu.taken).toEqual([]);
  });
});

test.each([
  ["permission", CLAUDE, true, 0],
  ["permission", CLAUDE, false, 3],
  ["plan", ["Yes, and auto-accept edits", "Yes, and manually approve edits", "No, keep planning"], true, 1],
  ["plan", ["Yes, and auto-accept edits", "No, keep planning"], true, 0],
  ["setup", ["No, exit", "Yes, I accept"], undefined, 1],
  ["setup", ["No, exit", "Maybe"], undefined, undefined],
] as const)("%s of %j, accept %s: %s", (type, options, accept, index) => {
  expect(optionFor(promptOf(type), options, accept)).toBe(index);
});

test("what is typed as text is text", () => {
  expect(printable("a\r\nb\x1b[201~\x03c\u009bd\te")).toBe("a\nb[201~cd\te");
});

test("a question that is told of before it is on the screen is waited for: no key is pressed into nothing", async () => {
  const menu = one(CLAUDE);
  let early = 3;
  const typedEarly: string[] = [];
  const hands = {
    ...menu.hands,
    look: async () => (early > 0 ? undefined : menu.hands.look()),
    type: (keys: string) => (early > 0 ? void typedEarly.push(keys) : menu.hands.type(keys)),
    changed: async () => {
      early -= 1;
    },
  };
  expect(await answer(hands, promptOf("permission"), { accept: true })).toEqual({ option: 1 });
  expect([typedEarly, menu.taken]).toEqual([[], ["Yes"]]);
});
