import { formatAge } from "../../../contract/words/figures.ts";
import { columnsOf, fit, wrap } from "../../../lib/command/columns.ts";
import type { Page } from "../../../lib/command/paint.ts";
import { oneLine, revealedLine } from "../../../lib/text/printable.ts";
import type { Whole } from "../view/lines/request-lines.ts";
import type { Answering } from "../view/live/answering.ts";
import { footOf, renderStage } from "../view/live/request-box.ts";
import { keysSheet, type Sheet } from "../view/terminal/sheet.ts";
import { type Inbox, keyOf, openIn, type Waiting } from "./inbox-state.ts";

/** The request that is looked at, whole; who asks; and the keys that answer it. */
export function inboxSheet(inbox: Inbox, now: number, whole: (one: Waiting, page: Page) => Whole, page: Page): Sheet {
  if (inbox.help) return keysSheet(KEYS, page);
  const { focus } = inbox;
  if (focus === undefined) return emptySheet(inbox, page);
  const { one, answering } = focus;
  const { request, canRemember } = one;
  const { lines, isCut } = whole(one, page);
  const { more, foot, ...rest } = footOf(request, answering, page, { canRemember });
  const id = keyOf(one);
  return {
    id: `${id} ${answering.stage === "question" ? answering.index : ""}`,
    asks: `${id} ${lastQuick(one, answering)}`,
    head: renderHead(inbox, one, now, page),
    body: [...renderAsker(one, page), ...lines, ...renderStage(request, answering, page), ...more],
    foot: rest.cursor === undefined ? foot.map((keys) => withHint(keys, page)) : foot,
    ...rest,
    ...(isCut ? { isCut } : {}),
  };
}

/** Where letters are keys, and there is room for it. */
const withHint = (keys: string, { width, paint }: Page) =>
  columnsOf(keys) + columnsOf(HINT) <= width ? `${keys}${paint.dim(HINT)}` : keys;

const HINT = "  [?] keys";

function renderHead(inbox: Inbox, one: Waiting, now: number, { width, paint }: Page): string[] {
  const open = openIn(inbox);
  const at = open.findIndex((other) => keyOf(other) === keyOf(one));
  const place = at === -1 ? "" : `${at + 1} of ${open.length} ${paint.marks.dot} `;
  const kind = one.request.type === "permission_request" ? "permission" : "question";
  const age = formatAge(now - Date.parse(one.request.at));
  return wrap(`${place}${kind} ${revealedLine(one.name)} ${paint.marks.dot} waiting ${age}`, width).map(paint.yellow);
}

/** Its folder can be long, and tells what would be done where. */
const renderAsker = ({ agent, cwd }: Waiting, { width, paint }: Page): string[] =>
  wrap(`${oneLine(agent)} in ${revealedLine(cwd)}`, width).map(paint.dim);

/** The last question until here that one key answers: when it is reached, the key for the one before was not meant for it. */
function lastQuick({ request }: Waiting, answering: Answering): number {
  if (request.type !== "question_request" || answering.stage !== "question") return 0;
  const kinds = request.questions.slice(0, answering.index + 1).map(({ answer }) => answer);
  return kinds.findLastIndex((kind) => kind !== "text" && kind !== "number");
}

function emptySheet({ sent }: Inbox, { width, paint }: Page): Sheet {
  const text =
    sent.size === 0 ? "nobody waits for you; what comes is shown here" : "answered; nothing else waits for you";
  return { id: "", asks: "", head: [], body: wrap(text, width), foot: [paint.dim(fit("[q] leave  [?] keys", width))] };
}

const KEYS = [
  ["a", "allow once, when all of it was shown"],
  ["A", "allow, and never ask for the same again in this project"],
  ["d", "deny; a reason can be typed"],
  ["1-9", "an option of the agent's own, or a choice"],
  ["space", "more of it, until all was shown"],
  ["arrows up and down, PgUp PgDn Home End", "scroll"],
  ["j k, arrows left and right", "the next, the one before"],
  ["Esc", "back; with a question and nothing typed: decline"],
  ["q Ctrl-C Ctrl-D", "leave; what waits goes on waiting"],
] as const;
