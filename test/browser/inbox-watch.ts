/** What the page tells of itself: everything that must never happen, and how often what may happen did. */
export interface InboxWatch {
  wrong: string[];
  allowed: { mouse: number; keys: number };
  denied: number;
  /** Something long, or something short. */
  arrive(command: string): void;
  answeredElsewhere(key: string): void;
  /** Those that are open, as a server would know them. */
  open(): string[];
  /** How often the list was drawn anew. */
  changes(): number;
}

/**
 * Runs in the page, before anything of ours: it is the server of the inbox, and it judges. It judges at the moment of a press,
 * by what stands in the document then and by the browser's own times, so that a slow machine is as good as a fast one. What it
 * asks for is shorter than what the page promises: it can't be late by as much.
 */
export function watchInbox(): void {
  const STOOD_MS = 200;
  const RESTED_MS = 300;
  const run = "20260101-0000000000-0000001-0001";
  const items = new Map<string, { at: string; command: string }>();
  const encoder = new TextEncoder();
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  let ids = 0;
  let changes = 0;
  const watch: InboxWatch = {
    wrong: [],
    allowed: { mouse: 0, keys: 0 },
    denied: 0,
    open: () => [...items.keys()],
    changes: () => changes,
    arrive(command) {
      ids += 1;
      items.set(`${run}/p${ids}`, { at: new Date(1_700_000_000_000 + ids * 1000).toISOString(), command });
      tell({ type: "permission_request", pendingId: `p${ids}` });
    },
    answeredElsewhere(key) {
      if (items.delete(key)) tell(resolvedBy(key, "denied", "tom@box"));
    },
  };
  Object.assign(window, { inboxWatch: watch });

  // The server.
  const resolvedBy = (key: string, outcome: string, who: string) => ({
    type: "request_resolved",
    pendingId: key.slice(run.length + 1),
    outcome,
    by: "person",
    who,
  });
  const tell = (event: object) => {
    ids += 1;
    const data = JSON.stringify({ seq: ids, at: new Date(0).toISOString(), ...event });
    stream?.enqueue(encoder.encode(`id: ${ids}\nevent: ${run}\ndata: ${data}\n\n`));
  };
  const itemOf = (key: string, { at, command }: { at: string; command: string }) => ({
    run_id: run,
    pending_id: key.slice(run.length + 1),
    project: "made",
    task: "made",
    title: "A task",
    agent: "demo",
    cwd: "/work",
    at,
    seq: 1,
    request: {
      type: "permission_request",
      pendingId: key.slice(run.length + 1),
      permissionTitle: `Run it, as ${key.slice(run.length + 1)}`,
      source: "protocol",
      actionType: "execute",
      actionDetails: { command },
      permissionOptions: [
        { id: "yes", label: "Yes", kind: "allow_once" },
        { id: "always", label: "Always", kind: "allow_always" },
        { id: "no", label: "No", kind: "reject_once" },
      ],
    },
  });
  const real = window.fetch.bind(window);
  window.fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input, location.href);
    if (pathname === "/api/v1/inbox") {
      return Response.json({ items: [...items].map(([key, item]) => itemOf(key, item)) });
    }
    if (pathname === "/api/v1/stream") {
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void (stream = controller) });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    }
    const asked = /^\/api\/v1\/runs\/([^/]+)\/requests\/([^/]+)$/.exec(pathname);
    if (asked === null) return real(input, init);
    const key = `${asked[1]}/${asked[2]}`;
    // At once: by the next task another key may have been pressed.
    const text = typeof init?.body === "string" ? init.body : "";
    const { answer } = JSON.parse(text) as { answer: { optionId?: string } };
    const isYes = answer.optionId === "yes" || answer.optionId === "always";
    if (isYes) judgeYes(key);
    else watch.denied += 1;
    if (!items.delete(key)) return Response.json({ code: "request.resolved", message: "already" }, { status: 409 });
    tell(resolvedBy(key, isYes ? "allowed" : "denied", "me"));
    return new Response(null, { status: 204 });
  };

  // The judge.
  let warrant: { key: string; by: "mouse" | "keys" } | undefined;
  let why = "nothing was pressed";
  const judgeYes = (key: string) => {
    if (warrant?.key === key) watch.allowed[warrant.by] += 1;
    else watch.wrong.push(`${key} was allowed: ${why}`);
    warrant = undefined;
    why = "what was pressed had been used up";
  };
  const cardIn = (element: Element | null | undefined) => element?.closest<HTMLElement>("[data-request]");
  const isWhole = (card: Element) => {
    const item = items.get(card.getAttribute("data-request") ?? "");
    return item === undefined || card.querySelector(".request-command")?.textContent === item.command;
  };
  const grant = (card: HTMLElement | null | undefined, by: "mouse" | "keys", objection: string) => {
    const key = card?.dataset.request ?? "";
    why = `${objection} (${by}, ${key})`;
    warrant = objection === "" && card && key !== "" ? { key, by } : undefined;
  };

  /** Where each yes stands, and since when. */
  const stands = new Map<Element, { box: string; since: number }>();
  const boxOf = (element: Element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return [left, top, width, height].map(Math.round).join(" ");
  };
  const look = () => {
    for (const button of document.querySelectorAll("[data-do=allow], [data-do=always]")) {
      const box = boxOf(button);
      if (stands.get(button)?.box !== box) stands.set(button, { box, since: performance.now() });
    }
  };

  /** Which request keys act on, and until when they should rest since that changed by itself. */
  let current: string | undefined;
  let isOwn = false;
  let restsUntil = 0;
  const own = () => {
    isOwn = true;
    setTimeout(() => {
      isOwn = false;
    });
  };
  const currentCard = () => document.querySelector<HTMLElement>("[aria-current=true] [data-request]") ?? undefined;
  const lookAtCurrent = () => {
    const now = currentCard()?.dataset.request;
    if (now === current) return;
    const before = current;
    current = now;
    if (isOwn) return;
    restsUntil = Math.max(restsUntil, performance.now() + RESTED_MS);
    if (before !== undefined && items.has(before) && document.querySelector(`[data-request="${before}"]`) !== null)
      watch.wrong.push(`${before} was current and still open, and ${now} became current by itself`);
  };
  const start = () => {
    new MutationObserver((records) => {
      if (records.some(({ type, target }) => type === "childList" && (target as Element).matches(".inbox, .screen")))
        changes += 1;
      look();
      lookAtCurrent();
      if (document.activeElement === document.body && hadFocus !== "")
        watch.wrong.push(`the focus fell from ${hadFocus} to the body`);
      hadFocus = cardIn(document.activeElement) ? (document.activeElement?.outerHTML.slice(0, 80) ?? "") : "";
    }).observe(document.documentElement, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ["class", "aria-current"],
    });
    setInterval(look, 20);
  };
  let hadFocus = "";
  if (document.documentElement === null) document.addEventListener("DOMContentLoaded", start);
  else start();
  addEventListener("scroll", look, { capture: true });

  addEventListener(
    "pointerdown",
    ({ target, timeStamp }) => {
      own();
      const button = (target as Element).closest("[data-do=allow], [data-do=always]");
      const card = cardIn(button);
      if (button === null || !card) return grant(undefined, "mouse", "its own yes was not pressed");
      const stand = stands.get(button);
      const stood = stand !== undefined && stand.box === boxOf(button) ? timeStamp - stand.since : 0;
      const objection =
        stood < STOOD_MS ? `it had stood for ${Math.round(stood)} ms` : isWhole(card) ? "" : "it was not shown whole";
      grant(card, "mouse", objection);
      hadFocus = ""; // who presses beside everything takes the focus away
    },
    { capture: true },
  );
  addEventListener(
    "keydown",
    ({ key, target, timeStamp }) => {
      if (["j", "k", "Tab"].includes(key)) own();
      const element = target as Element;
      if (element.matches("input, textarea")) return grant(undefined, "keys", "a reason was typed");
      const rests = timeStamp < restsUntil;
      if (rests && key.length === 1) restsUntil = Math.max(restsUntil, timeStamp + RESTED_MS);
      const pressed = element.closest("[data-do=allow], [data-do=always]");
      const card =
        key === " " || key === "Enter" ? cardIn(pressed) : key === "a" || key === "A" ? currentCard() : undefined;
      if (!card) return grant(undefined, "keys", `the key was ${key}`);
      const isTooSoon = rests && pressed === null;
      grant(card, "keys", isTooSoon ? "keys should have rested" : isWhole(card) ? "" : "it was not shown whole");
    },
    { capture: true },
  );
}
