import { canRemember } from "../../../../contract/requests/policy.ts";
import type { Reply } from "../../../../contract/requests/reply.ts";
import type { OpenRequest } from "../../../../contract/runs/transcript.ts";
import type { ViewOptions } from "../index.ts";
import { type Answering, beginAnswering, gone, isAskedAnew, press } from "./answering.ts";
import { type Draft, edit, emptyDraft } from "./draft.ts";
import type { Key } from "./keys.ts";

export type KeyAction =
  | { do: "answer"; pendingId: string; reply: Reply }
  /** All of a request is to be shown, and then `shown` called: it was said yes to, and is cut. */
  | { do: "show"; request: OpenRequest }
  | { do: "prompt"; text: string }
  | { do: "interrupt" }
  | { do: "suspend" }
  | { do: "detach" }
  /** Esc where there was nothing to clear. */
  | { do: "escape" }
  | { do: "end" };

export interface Focus {
  request: OpenRequest;
  answering: Answering;
  /** How many wait behind it. */
  others: number;
  /** "Always" stores a rule. */
  canRemember: boolean;
}

/**
 * A request takes the keys only after this long without typing: whoever is in the middle of a word when it appears must not
 * allow something by its next letter. As long as on the page.
 */
const SETTLE_MS = 500;

/** What keys mean: first the open request, else the next prompt. No terminal here; time comes in as a number. */
export class Keyboard {
  readonly #interactive: boolean;
  readonly #cwd: string;
  readonly #isCut: (request: OpenRequest) => boolean;
  #draft: Draft = emptyDraft;
  #focus: { request: OpenRequest; answering: Answering } | undefined;
  #settled = false;
  #others = 0;
  readonly #sent = new Set<string>();
  #quietSince = 0;
  #idle = false;

  constructor(
    { interactive, header }: Pick<ViewOptions, "interactive" | "header">,
    isCut: (request: OpenRequest) => boolean,
  ) {
    this.#interactive = interactive;
    this.#cwd = header.cwd;
    this.#isCut = isCut;
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
      this.#rest(now);
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
    this.#focus = this.#focus && answering && { ...this.#focus, answering };
  }

  #rest(now: number): void {
    this.#settled = false;
    this.#quietSince = now;
  }

  /** The host refused the answer: the request is asked again. */
  notSent(pendingId: string): void {
    this.#sent.delete(pendingId);
  }

  /** All of the focused request was shown. Whoever pressed twice has not read it between: the keys settle anew. */
  shown(now: number): void {
    if (this.#focus === undefined) return;
    this.#focus = { ...this.#focus, answering: { stage: "choose", seen: true } };
    this.#rest(now);
  }

  press(key: Key, now: number): KeyAction | undefined {
    if (key.key === "interrupt") return this.#interrupt();
    if (key.key === "suspend" || key.key === "detach") return { do: key.key };
    if (this.#focus === undefined) return this.#typePrompt(key);
    this.#settled ||= now - this.#quietSince >= SETTLE_MS;
    if (this.#settled) return this.#answer(this.#focus, key, now);
    this.#quietSince = now;
    // Whoever was typing a prompt goes on with it; what else is pressed now was meant for what is gone.
    return key.key === "enter" || this.#draft.text === "" ? undefined : this.#typePrompt(key);
  }

  #interrupt(): KeyAction | undefined {
    if (!this.#idle || this.#draft.text === "") return { do: "interrupt" };
    this.#draft = emptyDraft;
    return undefined;
  }

  #answer(focus: { request: OpenRequest; answering: Answering }, key: Key, now: number): KeyAction | undefined {
    const { request } = focus;
    const ways = { isCut: this.#isCut(request), canRemember: canRemember(request, this.#cwd) };
    const result = press(request, focus.answering, key, ways);
    if ("show" in result) return { do: "show", request: focus.request };
    if ("next" in result) {
      this.#focus = { ...focus, answering: result.next };
      if (isAskedAnew(focus.request, focus.answering, result.next)) this.#rest(now);
      return undefined;
    }
    this.#focus = undefined;
    if ("leave" in result) return undefined;
    const { pendingId } = focus.request;
    this.#sent.add(pendingId);
    return { do: "answer", pendingId, reply: result.reply };
  }

  #typePrompt(key: Key): KeyAction | undefined {
    if (!this.#interactive) return undefined;
    if (key.key === "eof") return this.#draft.text === "" ? { do: "end" } : undefined;
    if (key.key === "escape" && this.#draft.text === "") return { do: "escape" };
    if (key.key !== "enter") {
      this.#draft = key.key === "escape" ? emptyDraft : edit(this.#draft, key);
      return undefined;
    }
    const text = this.#draft.text.trim();
    this.#draft = emptyDraft;
    if (text === "") return undefined;
    return text === "/quit" ? { do: "end" } : { do: "prompt", text };
  }
}
