import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { isFinal } from "./detect/trouble.ts";

const Field = z.object({
  required: z.boolean().default(false),
  enum: z.array(z.string()).optional(),
  descriptions: z.record(z.string(), z.string()).optional(),
  description: z.string().optional(),
});

/** When an agent may stop. `allow`: whenever. `auto`: when it has said how it stands. `gate`: when somebody else lets it. */
export const StopConfig = z.object({
  mode: z.enum(["allow", "auto", "gate"]).default("allow"),
  prompt: z.string().optional(),
  schema: z.object({ fields: z.record(z.string(), Field) }).optional(),
});
export type StopConfig = z.infer<typeof StopConfig>;
type Schema = NonNullable<StopConfig["schema"]>;

export interface StopOutcome {
  type: "signaled" | "error" | "safety_valve" | "blocked" | "allowed" | "rejected";
  signal?: unknown;
  error_detail?: string;
  seq: number;
}

export interface StopDecision {
  outcome: StopOutcome["type"];
  /** Why it may not stop, in words for the agent. */
  reason?: string;
}

/** In order: nothing is held; the agent was held once already; it can't go on anyway; somebody has let it go; hold it. */
export function decideStop(
  config: StopConfig,
  { held, signaled, trouble }: { held: boolean; signaled: boolean; trouble: string | undefined },
): StopDecision {
  if (config.mode === "allow") return { outcome: "allowed" };
  if (held) return { outcome: "safety_valve" };
  if (trouble !== undefined && isFinal(trouble)) return { outcome: "error" };
  if (signaled) return { outcome: "signaled" };
  return { outcome: "blocked", reason: config.mode === "gate" ? (config.prompt ?? GATE) : autoReason(config) };
}

const GATE = "Wait: somebody else decides when this session may stop.";

const DEFAULT_SCHEMA: Schema = {
  fields: {
    status: {
      required: true,
      enum: ["done", "continue"],
      descriptions: { done: "the work is complete", continue: "there is more to do: go on with it" },
    },
    message: { required: false, description: "what was done, or what is left" },
  },
};

/** One command for each way to stop, ready to be run. */
function autoReason({ prompt, schema = DEFAULT_SCHEMA }: StopConfig): string {
  const fields = Object.entries(schema.fields);
  const choice = fields.find(([, field]) => field.enum !== undefined);
  const rest = fields.filter(([name, field]) => field.required && name !== choice?.[0]);
  const commandFor = (value?: string) => {
    const body = Object.fromEntries(rest.map(([name]) => [name, "…"]));
    return `cox send '${JSON.stringify(choice && value !== undefined ? { [choice[0]]: value, ...body } : body)}'`;
  };
  const lines = choice?.[1].enum?.map((value) => {
    const about = choice[1].descriptions?.[value];
    return `- ${about === undefined ? value : `${value}: ${about}`}: ${commandFor(value)}`;
  });
  const optional = fields.filter(([name]) => name !== choice?.[0] && !rest.some(([other]) => other === name));
  const extras = optional.map(([name, field]) => `  ${name}: ${field.description ?? "optional"}`);
  const head = prompt ?? "Before you stop, say how it stands by running one of these:";
  return [head, ...(lines ?? [`- ${commandFor()}`]), ...(extras.length > 0 ? ["You may add:", ...extras] : [])].join(
    "\n",
  );
}

/** Checks a body of `stop/resolve`; the message is for the agent. */
export function checkSignal(body: unknown, { schema = DEFAULT_SCHEMA, mode }: StopConfig): string | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return "the body must be a JSON object";
  if (mode !== "auto" && schema === DEFAULT_SCHEMA) return undefined;
  const given: Record<string, unknown> = { ...body };
  for (const [name, field] of Object.entries(schema.fields)) {
    const value = given[name];
    if (value === undefined) {
      if (field.required) return `missing required field: ${name}`;
    } else if (field.enum !== undefined && !field.enum.some((each) => each === value)) {
      return `field ${name}: ${JSON.stringify(value)} is not one of ${field.enum.join(", ")}`;
    }
  }
  return undefined;
}

/** The gate of one session: what it is set to, and whether somebody has signalled. */
export class StopGate {
  readonly #onOutcome: (outcome: StopOutcome) => void;
  #config: StopConfig;
  #signal: { body: unknown } | undefined;
  #seq = 0;

  constructor(config: StopConfig, onOutcome: (outcome: StopOutcome) => void) {
    this.#config = config;
    this.#onOutcome = onOutcome;
  }

  get config(): StopConfig {
    return this.#config;
  }

  set config(config: StopConfig) {
    this.#config = config;
    this.#signal = undefined;
  }

  /** The agent wants to stop. */
  ask(held: boolean, trouble: { detail: string; category: string } | undefined): StopDecision {
    const signal = this.#signal;
    const decision = decideStop(this.#config, { held, signaled: signal !== undefined, trouble: trouble?.category });
    if (decision.outcome === "signaled") this.#signal = undefined;
    this.#tell({
      type: decision.outcome,
      ...(decision.outcome === "signaled" ? { signal: signal?.body } : {}),
      ...(decision.outcome === "error" ? { error_detail: trouble?.detail } : {}),
    });
    return decision;
  }

  /** Says that it may. Throws when the body isn't what was asked for. */
  resolve(body: unknown): void {
    const wrong = checkSignal(body, this.#config);
    if (wrong === undefined) {
      this.#signal = { body };
      return;
    }
    this.#tell({ type: "rejected", error_detail: wrong });
    throw new AppError("usage.invalid", wrong, { schema: true });
  }

  #tell(outcome: Omit<StopOutcome, "seq">): void {
    this.#seq += 1;
    this.#onOutcome({ ...outcome, seq: this.#seq });
  }
}
