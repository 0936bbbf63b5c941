import { type ComponentType, lazy } from "react";
import { AppError } from "../../../src/contract/errors.ts";
import { server } from "../api/client.ts";

/**
 * A screen that is loaded when somebody goes there. When its files can't be had (the server was away, or is a newer one with
 * other files) the page is loaded again as soon as the server answers: drafts and prompts are kept, so nothing is lost.
 */
export function lazyScreen<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await load().catch(startAgain) }));
}

const MARK = "cox.loaded-again";
const ONCE_IN_MS = 15_000;

async function startAgain(error: unknown): Promise<never> {
  // What fails right after loading again is broken: that is said, not repeated for ever.
  if (Date.now() - Number(sessionStorage.getItem(MARK) ?? 0) < ONCE_IN_MS) throw error;
  while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 1000));
  sessionStorage.setItem(MARK, String(Date.now()));
  location.reload();
  return new Promise(() => {});
}

/** A refusal is an answer too. */
const isThere = () =>
  server.call("GET /version").then(
    () => true,
    (error: unknown) => error instanceof AppError,
  );
