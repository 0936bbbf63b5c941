import { statSync } from "node:fs";
import type { TerminalSettings } from "../../../core/screens/settings.ts";
import type { Tier } from "../../../core/screens/state/agent-state.ts";
import type { HookEvent } from "../../../core/screens/state/hook-event.ts";
import type { HostEvent } from "../../../core/screens/state/host-event.ts";
import type { AgentTracker } from "../../../core/screens/state/tracker.ts";
import { addUsage, noUsage, type Usage } from "../../../core/screens/state/usage.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import { LineSplitter } from "../../../lib/text/lines.ts";
import { LogFollower } from "../log-follower.ts";
import { type SessionFolder, writePrivate } from "../session-folder.ts";
import { claudeArguments } from "./claude-arguments.ts";
import { conversationId, logOf, projectsFolder, resumedLog } from "./claude-conversation.ts";
import { readClaudeLine } from "./claude-log.ts";
import { claudeSettings, hookScript } from "./claude-settings.ts";

export interface ClaudeSessionOptions {
  id: string;
  settings: TerminalSettings;
  folder: SessionFolder;
  env: NodeJS.ProcessEnv;
  cwd: string;
  clock: Clock;
  tracker: AgentTracker;
  tell(event: HostEvent): void;
  onUsage(usage: Usage): void;
}

/** What Claude needs beside a terminal: its hooks, its conversation's id, and somebody who reads its log. */
export class ClaudeSession {
  readonly #options: ClaudeSessionOptions;
  readonly #log: LogFollower;
  readonly #printed = new LineSplitter(MAX_LINE_BYTES);
  readonly #printsJson: boolean;
  readonly #counted = new Map<string, Usage>();
  #id: string;
  #isOld: boolean;

  constructor(options: ClaudeSessionOptions) {
    const { settings, cwd, env, clock } = options;
    this.#options = options;
    const resumed = settings.resume === undefined ? undefined : resumedLog(settings.resume, cwd, env);
    this.#id = resumed === undefined ? options.id : conversationId(resumed);
    this.#isOld = resumed !== undefined;
    this.#printsJson = settings.command.join(" ").includes("stream-json");
    const { logPoll } = settings.waits;
    this.#log = new LogFollower({ clock, pollMs: logPoll, onLine: (line) => this.#take(line, 2) });
    if (settings.groom !== "pristine") this.#writeHooks();
  }

  /** The command of the next start: the first begins the conversation, the others go on with it. */
  command(): [string, ...string[]] {
    const { settings, env, folder } = this.#options;
    const projects = projectsFolder(env);
    const log = logOf(projects, this.#id);
    this.#isOld ||= log !== undefined;
    this.#log.follow(() => logOf(projects, this.#id), log === undefined ? 0 : statSync(log).size);
    const { mcp } = settings.agentConfig;
    return claudeArguments(settings.command, {
      session: this.#isOld ? { resume: this.#id } : { id: this.#id },
      settingsFile: settings.groom === "pristine" ? undefined : folder.settings,
      mcpFile: mcp === undefined ? undefined : folder.mcp,
    });
  }

  /** `/clear` and the like begin another conversation, in another log. */
  onHook({ event, data }: HookEvent): void {
    const { transcript_path: path, session_id: id } = data;
    if (event !== "start" || typeof path !== "string" || typeof id !== "string" || id === this.#id) return;
    this.#id = id;
    this.#log.follow(() => path);
  }

  onOutput(chunk: Buffer): void {
    if (!this.#printsJson) return;
    for (const line of this.#printed.push(chunk)) {
      if (!("text" in line) || !line.text.startsWith("{")) continue;
      try {
        this.#take(JSON.parse(line.text), 3);
      } catch {
        // a line that only looks like JSON, or that the terminal has broken
      }
    }
  }

  close(): void {
    this.#log.close();
  }

  #take(line: unknown, tier: Tier): void {
    const { tracker, tell } = this.#options;
    const { report, lastMessage, usage } = readClaudeLine(line, tier);
    tell({ event: "message:raw", data: line, source: tier === 2 ? "log" : "stdout" });
    if (lastMessage !== undefined) tracker.say(lastMessage);
    if (report !== undefined) tracker.report(report);
    if (usage !== undefined) this.#count(usage.message, usage.usage);
  }

  /** A message is told once for each of its parts, with what it has cost so far. */
  #count(message: string, usage: Usage): void {
    const before = this.#counted.get(message) ?? noUsage();
    const more = addUsage(usage, negative(before));
    if (Object.values(more).every((value) => value <= 0)) return;
    this.#counted.set(message, usage);
    this.#options.onUsage(more);
  }

  #writeHooks(): void {
    const { folder, settings } = this.#options;
    const { settings: given = {}, mcp } = settings.agentConfig;
    writePrivate(folder.hookScript, hookScript(process.execPath));
    writePrivate(folder.settings, JSON.stringify(claudeSettings(given, folder.hookScript), null, 2));
    if (mcp !== undefined) writePrivate(folder.mcp, JSON.stringify({ mcpServers: mcp }));
  }
}

const MAX_LINE_BYTES = 1024 * 1024;

function negative(usage: Usage): Usage {
  return {
    input_tokens: -usage.input_tokens,
    output_tokens: -usage.output_tokens,
    cache_read_tokens: -usage.cache_read_tokens,
    cache_write_tokens: -usage.cache_write_tokens,
    total_cost_usd: -usage.total_cost_usd,
    request_count: -usage.request_count,
    total_api_ms: -usage.total_api_ms,
  };
}
