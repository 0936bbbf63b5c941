import type { SessionConfigOption, SessionModeState, ToolKind } from "@agentclientprotocol/sdk";

/** What a client can choose: how careful the demo agent is, and which model it pretends to have. */
export const modes = [
  { id: "default", name: "Ask first", description: "Asks before it edits a file or runs a command" },
  { id: "accept-edits", name: "Accept edits", description: "Edits without asking, asks before commands" },
  { id: "yolo", name: "Yolo", description: "Never asks" },
  { id: "plan", name: "Plan", description: "Reads only and changes nothing" },
] as const;

export const models = [
  { id: "demo-fast", name: "Demo Fast", description: "No model at all, quickly", context: 32_000 },
  { id: "demo-smart", name: "Demo Smart", description: "No model at all, with a larger window", context: 200_000 },
] as const;

export type Mode = (typeof modes)[number]["id"];
export type Model = (typeof models)[number]["id"];
export interface Settings {
  mode: Mode;
  model: Model;
}

export const initialSettings: Settings = { mode: "default", model: "demo-fast" };

/** The settings with one option changed, or nothing when there is no such option or value. */
export function changed(settings: Settings, option: string, value: unknown): Settings | undefined {
  const mode = modes.find(({ id }) => option === "mode" && id === value);
  if (mode) return { ...settings, mode: mode.id };
  const model = models.find(({ id }) => option === "model" && id === value);
  return model && { ...settings, model: model.id };
}

/** Whether a tool may run at once, needs a yes, or is out of the question. Reading is always fine. */
export function verdict(mode: Mode, kind: ToolKind, alwaysAllowed: ReadonlySet<ToolKind>): "allow" | "ask" | "refuse" {
  if (kind !== "edit" && kind !== "execute") return "allow";
  if (mode === "plan") return "refuse";
  if (mode === "yolo" || alwaysAllowed.has(kind)) return "allow";
  return mode === "accept-edits" && kind === "edit" ? "allow" : "ask";
}

export function contextSize(model: Model): number {
  return models.find(({ id }) => id === model)?.context ?? 0;
}

/** Older clients read the modes, newer ones the options; both say the same. */
export function modeState({ mode }: Settings): SessionModeState {
  return { currentModeId: mode, availableModes: [...modes] };
}

export function configOptions({ mode, model }: Settings): SessionConfigOption[] {
  return [
    { id: "mode", name: "Mode", category: "mode", type: "select", currentValue: mode, options: modes.map(choice) },
    { id: "model", name: "Model", category: "model", type: "select", currentValue: model, options: models.map(choice) },
  ];
}

function choice({ id, name, description }: { id: string; name: string; description: string }) {
  return { value: id, name, description };
}
