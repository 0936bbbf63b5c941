import { AppError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { appendMessage, busPath } from "../store/bus/bus.ts";
import { readMessages } from "../store/bus/bus-reader.ts";
import type { Home } from "../store/home.ts";
import type { AgentCalls } from "./tools/perform.ts";

/** These say where a run or a task stands: cox writes them, nobody else. */
const lifecycle: ReadonlySet<string> = new Set(["RUN_START", "RUN_STOP", "RUN_CRASH", "TASK_STATE"]);

/** The bus of the run's own task. Whatever is posted bears the run's id. */
export function busCalls(
  home: Home,
  place: { project: string; task: string; run: string },
  clock: Clock,
): Pick<AgentCalls, "bus_post" | "bus_read"> {
  const path = busPath(home, place.project, place.task);
  return {
    async bus_post({ type, body, parents, links }) {
      if (lifecycle.has(type)) throw new AppError("usage.invalid", `post: ${type}: only cox itself writes these`);
      return { id: appendMessage(path, { ...place, type, body, parents, links }, clock.now()).id };
    },
    async bus_read({ since, limit, type }) {
      return readMessages(path, { since, limit, type });
    },
  };
}
