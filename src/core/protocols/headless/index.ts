import type { Protocol } from "../protocol.ts";
import { codexExecDialect } from "./codex-exec/dialect.ts";
import { headlessProtocol } from "./driver.ts";
import { geminiDialect } from "./gemini/dialect.ts";
import { opencodeDialect } from "./opencode/dialect.ts";
import { textDialect } from "./text/dialect.ts";

export const gemini: Protocol = headlessProtocol(geminiDialect);
export const opencode: Protocol = headlessProtocol(opencodeDialect);
export const text: Protocol = headlessProtocol(textDialect);
export const codexExec: Protocol = headlessProtocol(codexExecDialect);
