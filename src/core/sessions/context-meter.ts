import type { AgentEvent, EventOf, Usage } from "../../contract/events.ts";
import type { LaunchPlan } from "../agents/launch/launch.ts";

export interface Measure {
  /** As the agent's definition says. */
  sizes: LaunchPlan["contextWindows"];
  model: string;
  /** The agent reports after every call of its model; else only what a whole turn used. */
  perCall: boolean;
}

/**
 * How full the window is, for an agent that tells what it used but not how much there is room for: the size is its
 * definition's. In the window is what one call asked and answered, so a turn counts only if it was one call, which is one without
 * tools: the sum of several says nothing.
 */
export class ContextMeter {
  readonly #measure: Measure;
  #model: string;
  /** The agent tells it by itself. */
  #isTold = false;
  /** What this turn had used at the last report. */
  #before = 0;
  #hasTools = false;

  constructor(measure: Measure) {
    this.#measure = measure;
    this.#model = measure.model;
  }

  /** What can be said of the window now. */
  heard(event: AgentEvent): EventOf<"context_window"> | undefined {
    switch (event.type) {
      case "context_window":
        this.#isTold = true;
        return undefined;
      case "config_options": {
        const chosen = event.options.find(({ category }) => category === "model")?.value;
        if (typeof chosen === "string") this.#model = chosen;
        return undefined;
      }
      case "turn_started":
        this.#before = 0;
        this.#hasTools = false;
        return undefined;
      case "tool_call":
        this.#hasTools = true;
        return undefined;
      case "usage":
        return this.#measure.perCall ? this.#called(event.usage) : undefined;
      case "complete":
        return event.usage && (this.#measure.perCall || !this.#hasTools) ? this.#called(event.usage) : undefined;
      default:
        return undefined;
    }
  }

  #called(usage: Usage): EventOf<"context_window"> | undefined {
    const total = usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) + usage.output;
    const used = total - this.#before;
    this.#before = total;
    const size = this.#sizeOf(usage.model ?? this.#model);
    if (this.#isTold || size === undefined || used <= 0) return undefined; // 0: the end repeats the last report
    return { type: "context_window", used: Math.min(used, size), size, sizeFrom: "definition" };
  }

  /** `google/gemini-2.5-pro` is as large as `gemini-2.5-pro`, unless the definition knows it better. */
  #sizeOf(model: string): number | undefined {
    const { models, others } = this.#measure.sizes;
    const key = [model, model.slice(model.lastIndexOf("/") + 1)].find((name) => Object.hasOwn(models, name));
    return key === undefined ? others : models[key];
  }
}
