import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { RequestError, type StopReason } from "@agentclientprotocol/sdk";
import { numberAt } from "../words.ts";
import type { Directive } from "./directives.ts";

export const trouble: Record<string, Directive> = {
  error: async (_turn, category) => {
    throw category === "auth" ? RequestError.authRequired({ errorKind: "auth" }) : modelError(category);
  },
  stop: async (_turn, reason) => {
    const known = stopReasons.find((stop) => stop === reason);
    if (!known) throw RequestError.invalidParams({ known: stopReasons }, `unknown stop reason ${reason}`);
    return known;
  },
  crash: async (_turn, rest) => {
    const code = numberAt(0, rest, 1);
    writeSync(2, `demo agent: crashing with code ${code}, as told\n`);
    process.exit(code);
  },
  kill: async () => {
    process.kill(process.pid, "SIGKILL");
    await forEver(); // the signal is not there yet when kill() returns
  },
  hang: () => forEver(),
  exit: async (turn) => {
    turn.isLast = true;
  },
  "ignore-sigterm": async () => {
    process.removeAllListeners("SIGTERM").on("SIGTERM", () => {});
  },
  daemon: async (turn) => {
    const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    child.unref();
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    await turn.say(`daemon pid ${child.pid}`);
  },
  stderr: async (_turn, text) => {
    writeSync(2, `${text}\n`);
  },
  raw: (turn, text) => turn.stage.output.write(`${text}\n`),
  bytes: (turn, hex) => turn.stage.output.write(Buffer.from(hex.replaceAll(/\s/g, ""), "hex")),
};

const stopReasons = ["refusal", "max_tokens", "max_turn_requests"] as const satisfies StopReason[];

/** What the model's server would have answered, if there were one. */
const statuses: Readonly<Record<string, number>> = {
  credits: 402,
  model: 404,
  context: 413,
  rate_limit: 429,
  server: 500,
};

function modelError(category: string): RequestError {
  const httpStatus = statuses[category];
  const status = httpStatus === undefined ? "" : `API Error: ${httpStatus} `;
  return RequestError.internalError({ errorKind: category, httpStatus }, `${status}${category}, as told`);
}

const forEver = () => new Promise<void>(() => {});
