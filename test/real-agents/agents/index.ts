import { claude } from "./claude.ts";
import { claudeAcp } from "./claude-acp.ts";
import { codex } from "./codex.ts";
import { codexAcp } from "./codex-acp.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

/** In the order of the table. */
export const agents = [claude, codex, gemini, opencode, claudeAcp, codexAcp];
