import type { ClusterTask, ClusterTaskDetail } from "../../contract/api/cluster.ts";
import type { terminalRoutes } from "../../contract/api/terminals.ts";
import type { AgentEvent } from "../../contract/events.ts";
import type { ChannelName } from "../../contract/notify.ts";
import type { StartRun } from "../../contract/runs/request.ts";
import type { Home } from "../../core/store/home.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Log } from "../../lib/base/log.ts";
import type { UpgradeRoute } from "../../lib/http/route.ts";
import type { Handlers } from "./api/handlers.ts";

/** What the server works with. It can't start an agent itself: whoever starts the server hands in how. */
export interface ServerPorts {
  home: Home;
  clock: Clock;
  log: Log;
  env: NodeJS.ProcessEnv;
  /** In a host of its own. */
  start: StartRun;
  agentTrials: AgentTrials;
  /** `undefined`: nothing says where a cluster would be. */
  cluster: Cluster | undefined;
  terminals: Terminals;
  notifySettings: NotifySettings;
}

export interface AgentTrials {
  agent(agent: string, profile: string | undefined): Promise<{ ok: boolean; text: string; durationMs: number }>;
  preview(
    agent: string,
    profile: Readonly<Record<string, unknown>>,
    workspace: string,
  ): Promise<{ commandline: string; env: string[]; problem?: string }>;
}

export interface NotifySettings {
  channels(): Promise<{ channel: ChannelName; on: boolean; detail: string }[]>;
  set(channel: ChannelName, wishes: { on: boolean; url?: string; secret?: string; command?: string }): Promise<void>;
  test(): Promise<{ channel: string; ok: boolean; error?: string }[]>;
}

/** The hub's terminals, or the refusals of a server that has no hub. */
export interface Terminals {
  handlers: Handlers<keyof typeof terminalRoutes>;
  upgrades: readonly UpgradeRoute[];
}

/** Tasks in Kubernetes. */
export interface Cluster {
  context: string;
  namespace: string;
  /** All of them, newest first. */
  list(): Promise<ClusterTask[]>;
  get(namespace: string, name: string): Promise<ClusterTaskDetail>;
  cancel(namespace: string, name: string): Promise<void>;
  /** What its pod has said and says, through the translators, until it ends. */
  follow(namespace: string, name: string, signal: AbortSignal): AsyncIterable<AgentEvent[]>;
}
