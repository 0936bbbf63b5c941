import type { AgentConfig, AgentKind } from "../settings.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import type { Driver } from "./driver.ts";
import { gemini } from "./gemini.ts";
import { genericDriver } from "./generic.ts";

const known = { claude, codex, gemini };

export const driverFor = (agent: AgentKind, config: AgentConfig): Driver =>
  agent === "unknown" ? genericDriver(config) : known[agent];
