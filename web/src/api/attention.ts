import { cut, oneLine, revealedLine } from "../base/safe-text.ts";
import { storage } from "../base/storage.ts";
import { go } from "../router.tsx";
import { inbox, requestKey } from "./inbox.ts";

/** A person elsewhere is called back: a number in the tab's title and icon, and a notification when the tab is hidden. */
export function callForAttention(): void {
  const known = new Set<string>();
  let first = true;
  inbox.subscribe(() => {
    const { items, state } = inbox.get();
    if (state !== "ready") return;
    showCount(items.length);
    for (const item of items) {
      const key = requestKey(item);
      if (known.has(key)) continue;
      known.add(key);
      if (!first && document.hidden) notify(item.title, key, `${item.agent}: ${titleOf(item.request)}`);
    }
    first = false;
  });
}

let section = "";
let waiting = 0;

export function setTitle(name: string): void {
  section = name;
  showTitle();
}

function showCount(count: number): void {
  waiting = count;
  showTitle();
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  const file = count === 0 ? "/icon.svg" : `/icon-${count > 9 ? "more" : count}.svg`;
  if (icon !== null && icon.getAttribute("href") !== file) icon.setAttribute("href", file);
}

function showTitle(): void {
  document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${section === "" ? "" : `${section} · `}Coxswain`;
}

function titleOf(request: { type: string }): string {
  if ("permissionTitle" in request && typeof request.permissionTitle === "string")
    return revealedLine(request.permissionTitle);
  return "has a question";
}

export const wantsNotifications = (): boolean =>
  storage.read("notify", false) && "Notification" in window && Notification.permission === "granted";

export async function askForNotifications(on: boolean): Promise<boolean> {
  if (!("Notification" in window)) return false;
  const granted = on && (await Notification.requestPermission()) === "granted";
  storage.write("notify", granted);
  return granted;
}

function notify(title: string, tag: string, body: string): void {
  if (!wantsNotifications()) return;
  const shown = new Notification(cut(oneLine(title), 120), { tag, body: cut(body, 200), icon: "/icon.svg" });
  shown.addEventListener("click", () => {
    window.focus();
    go("/inbox");
  });
}
