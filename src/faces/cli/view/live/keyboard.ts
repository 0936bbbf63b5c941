import { canRemember } from "../../../../contract/requests/policy.ts";
import type { Reply } from "../../../../contract/requests/reply.ts";
import type { OpenRequest } from "../../../../contract/sessions/transcript.ts";
import type { ViewOptions } from "../index.ts";
import { HELP, QUIT } from "../lines/key-lines.ts";
import { asText, type HeldKey, holdStep } from "../terminal/key-hold.ts";
import { type KeyRest, keyIn, restingSince } from "../terminal/key-rest.ts";
import { type Answering, beginAnswering, decisionOf, gone, isAskedAnew, press } from "./answering.ts";
import { type Draft, edit, emptyDraft } from "./draft.ts";
import type { Key } from "./keys.ts";

export type KeyAction =
  | { do: "answer"; pendingId: string; reply: Reply }
  /** More of a request is to be shown: it was said yes to, and not all of it was on the screen. */
  | { do: "more" }
  | { do: "prompt"; text: string }
  | { do: "interrupt" }
  | { do: "suspend" }
  | { do: "detach" }
  /** What the keys do is to be shown. */
  | { do: "help" }
  /** Esc where there was nothing to clear. */
  | { do: "escape" }
  /** Ctrl-D where nothing is typed: away from here. */
  | { do: "leave" }
  | { do: "end" };

export interface Focus {
  request: OpenRequest;
  answering: Answering;
  /** How many wait behind it. */
  others: number;
  /** "Always" stores a rule. */
  canRemember: boolean;
  /** A key that will count in a moment. */
  held?: HeldKey | undefined;
}

type Asked = Pick<Focus, "request" | "answering" | "held">;

/** What keys mean: first the open request, else the next prompt. No terminal here; time comes in as a number. */
export class Keyboard {
  readonly #interactive: boolean;
  readonly #cwd: string;
  readonly #isRead: (request: OpenRequest) => boolean;
  #draft: Draft = emptyDraft;
  #focus: Asked | undefined;
  #rest: KeyRest = restingSince(0);
  #others = 0;
  readonly #sent = new Set<string>();
  #idle = false;

  /** `isRead`: whether all of a request was on the screen. */
  constructor(
    { interactive, header }: Pick<ViewOptions, "interactive" | "header">,
    isRead: (request: OpenRequest) => boolean,
  ) {
    this.#interactive = interactive;
    this.#cwd = header.cwd;
    this.#isRead = isRead;
  }

  get focus(): Focus | undefined {
    if (this.#focus === undefined) return undefined;
    return { ...this.#focus, others: this.#others, canRemember: canRemember(this.#focus.request, this.#cwd) };
  }

  /** The next prompt, where one can be typed. */
  get draft(): Draft | undefined {
    return this.#interactive && this.#focus === undefined ? this.#draft : undefined;
  }

  /** What is open now. One request after the other, in the order they were asked. */
  follow(requests: readonly OpenRequest[], idle: boolean, now: number): void {
    this.#idle = idle;
    const open = requests.filter(({ pendingId }) => !this.#sent.has(pendingId));
    // The request itself, not its name: what is asked anew under the same name was not read yet.
    if (this.#focus !== undefined && !open.includes(this.#focus.request)) this.#lose("no longer asked");
    if (this.#focus === undefined) {
      const [request] = open;
      this.#focus = request && { request, answering: beginAnswering(request) };
      this.#rest = restingSince(now);
    }
    this.#others = open.filter((request) => request !== this.#focus?.request).length;
  }

  /** Somebody else has answered. */
  answered(pendingId: string, by: string): void {
    if (this.#focus?.request.pendingId === pendingId)
      this.#lose(by === "" ? "answered elsewhere" : `answered by ${by}`);
  }

  #lose(because: string): void {
    const answering = this.#focus && gone(this.#focus.answering, because);
    this.#focus = this.#focus && answering && { request: this.#focus.request, answering };
  }

  /** The host refused the answer: the request is asked again. */
  notSent(pendingId: string): void {
    this.#sent.delete(pendingId);
  }

  press(key: Key, now: number): KeyAction | undefined {
    const held = this.takeBack();
    if (key.key === "interrupt") return this.#interrupt();
    if (key.key === "suspend" || key.key === "detach") return { do: key.key };
    if (key.key === "eof") return this.#typed === "" ? { do: "leave" } : undefined;
    if (this.#focus === undefined)
      return isQuestionMark(key) && this.#typed === "" ? { do: "help" } : this.#typePrompt(key);
    this.#rest = keyIn(this.#rest, now);
    if (this.#rest.isOver) return this.#hold(this.#focus, held, key, now);
    // Whoever was typing a prompt goes on with it; what else is pressed now was meant for what is gone.
    return key.key === "enter" || this.#draft.text === "" ? undefined : this.#typePrompt(key);
  }

  /** The key was held long enough: now it counts, unless it was taken back meanwhile. */
  release(held: HeldKey, now: number): KeyAction | undefined {
    return this.#focus?.held === held ? this.#answer(this.#focus, held.key, now) : undefined;
  }

  /** What is held doesn't count. */
  takeBack(): HeldKey | undefined {
    const held = this.#focus?.held;
    if (this.#focus !== undefined) this.#focus = { request: this.#focus.request, answering: this.#focus.answering };
    return held;
  }

  #hold(focus: Asked, held: HeldKey | undefined, key: Key, now: number): KeyAction | undefined {
    const { request, answering } = focus;
    const step = holdStep(held, key, (each) => decisionOf(request, answering, each, this.#means(request)));
    if ("hold" in step) {
      this.#focus = { ...focus, held: step.hold };
      return undefined;
    }
    if ("use" in step) return this.#answer(focus, step.use, now);
    // The middle of something that was meant for elsewhere; or of a text.
    const text = answering.stage === "question" ? asText(step.takenBack) : undefined;
    if (text === undefined) this.#rest = restingSince(now);
    else this.#answer(focus, text, now);
    return text === undefined || this.#focus === undefined ? undefined : this.#answer(this.#focus, key, now);
  }

  /** What is being typed, be it a prompt or an answer. */
  get #typed(): string {
    if (this.#focus === undefined) return this.#draft.text;
    const { answering } = this.#focus;
    const typing = answering.stage === "over" ? answering.was : answering;
    return typing.stage === "choose" ? "" : typing.draft.text;
  }

  #interrupt(): KeyAction | undefined {
    if (!this.#idle || this.#draft.text === "") return { do: "interrupt" };
    this.#draft = emptyDraft;
    return undefined;
  }

  #means(request: OpenRequest) {
    return { isRead: this.#isRead(request), canRemember: canRemember(request, this.#cwd) };
  }

  #answer({ request, answering }: Asked, key: Key, now: number): KeyAction | undefined {
    if (answering.stage === "choose" && isQuestionMark(key)) return { do: "help" };
    const result = press(request, answering, key, this.#means(request));
    if ("show" in result) {
      // Whoever presses twice has not read it between.
      this.#rest = restingSince(now);
      return { do: "more" };
    }
    if ("next" in result) {
      this.#focus = { request, answering: result.next };
      const meansNothing = result.next === answering;
      if (meansNothing || isAskedAnew(request, answering, result.next)) this.#rest = restingSince(now);
      return undefined;
    }
    this.#focus = undefined;
    if ("leave" in result) return undefined;
    const { pendingId } = request;
    this.#sent.add(pendingId);
    return { do: "answer", pendingId, reply: result.reply };
  }

  #typePrompt(key: Key): KeyAction | undefined {
    if (!this.#interactive) return undefined;
    if (key.key === "escape" && this.#draft.text === "") return { do: "escape" };
    if (key.key !== "enter") {
      this.#draft = key.key === "escape" ? emptyDraft : edit(this.#draft, key);
      return undefined;
    }
    const text = this.#draft.text.trim();
    this.#draft = emptyDraft;
    if (text === "") return undefined;
    if (text === HELP) return { do: "help" };
    return text === QUIT ? { do: "end" } : { do: "prompt", text };
  }
}

const isQuestionMark = (key: Key): boolean => key.key === "text" && key.text === "?" && !key.pasted;
