import { AppError } from "../../contract/errors.ts";
import type { OpenSpec } from "../sessions/open.ts";
import type { RunSpec } from "./run-spec.ts";

/** An agent that has only a screen gets a terminal, and somebody who reads it. Loaded when used: both are large. */
export async function onTerminal({
  plan,
  executor,
  clock,
}: Pick<RunSpec, "plan" | "executor" | "clock">): Promise<Pick<OpenSpec, "executor" | "protocol"> | undefined> {
  if (plan.protocol !== "terminal") return undefined;
  if (executor !== undefined && executor.name !== "local") {
    const message = `agent ${plan.agent}: has only a screen, and there is no terminal in a ${executor.name}; use --on local`;
    throw new AppError("command.unsupported", message);
  }
  const { terminalProtocol } = await import("../screens/protocol/protocol.ts");
  const { ptyExecutor } = await import("../screens/protocol/pty-executor.ts");
  return { executor: ptyExecutor, protocol: terminalProtocol(clock) };
}
