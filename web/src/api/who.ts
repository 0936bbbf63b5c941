import type { Result } from "../../../src/contract/api/index.ts";
import { AppError } from "../../../src/contract/errors.ts";
import { createStore } from "../base/store.ts";
import { problemText, server } from "./client.ts";

/** Whether the server knows us, and as whom. */
export type Who =
  | { state: "asking" }
  | { state: "known"; version: Result<"GET /version"> }
  | { state: "stranger"; why: string }
  | { state: "unreachable"; why: string };

export const who = createStore<Who>({ state: "asking" });

/** The key of the printed address is good once. It leaves the address at once, so that nobody copies it. */
export async function enter(): Promise<void> {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key !== null) history.replaceState(null, "", location.pathname + location.search);
  let why = "";
  if (key !== null) {
    try {
      await server.call("POST /login", { body: { key } });
    } catch (error) {
      why = problemText(error); // used already, perhaps: the cookie may still be good
    }
  }
  await ask(why);
}

export async function ask(why = ""): Promise<void> {
  try {
    who.set({ state: "known", version: await server.call("GET /version") });
  } catch (error) {
    const stranger = error instanceof AppError && (error.code === "auth.required" || error.code === "http.forbidden");
    who.set(stranger ? { state: "stranger", why } : { state: "unreachable", why: problemText(error) });
  }
}
