import type { Result } from "../../../src/contract/api/index.ts";
import { AppError } from "../../../src/contract/errors.ts";
import { createStore } from "../base/store.ts";
import { onRefused, problemText, server } from "./client.ts";

/** Whether the server knows us, and as whom. */
export type Who =
  | { state: "asking" }
  | { state: "known"; version: Result<"GET /version"> }
  | { state: "stranger"; why: string }
  | { state: "unreachable"; why: string };

export const who = createStore<Who>({ state: "asking" });

/** The cookie belongs to all tabs of this browser: when one is let in or leaves, the others look again. */
const tabs = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("cox-who");
tabs?.addEventListener("message", () => void ask());
onRefused(() => {
  if (who.get().state === "known") who.set({ state: "stranger", why: "This browser was logged out." });
});

/** The key of the printed address is good once. It leaves the address at once, so that nobody copies it. */
export async function enter(): Promise<void> {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key !== null) history.replaceState(null, "", location.pathname + location.search);
  let why = "";
  if (key !== null) {
    try {
      await server.call("POST /login", { body: { key } });
      tabs?.postMessage("in");
    } catch (error) {
      why = problemText(error); // used already, perhaps: the cookie may still be good
    }
  }
  await ask(why);
}

export async function logOut(): Promise<void> {
  await server.call("POST /logout");
  tabs?.postMessage("out");
  location.reload();
}

export async function ask(why = ""): Promise<void> {
  try {
    who.set({ state: "known", version: await server.call("GET /version") });
  } catch (error) {
    const stranger = error instanceof AppError && (error.code === "auth.required" || error.code === "http.forbidden");
    const before = who.get();
    const because = why === "" && before.state === "stranger" ? before.why : why;
    who.set(stranger ? { state: "stranger", why: because } : { state: "unreachable", why: problemText(error) });
  }
}

/** When a stranger becomes known. */
export function letInAgain(): Promise<void> {
  return new Promise((resolve) => {
    let before = who.get().state;
    const stop = who.subscribe(() => {
      const { state } = who.get();
      if (state === "known" && before !== "known") {
        stop();
        resolve();
      }
      before = state;
    });
  });
}
