import type { Backoff } from "../../lib/base/backoff.ts";
import type { Allowed } from "./allow/disallowed.ts";
import type { Fence } from "./fence/network-policy.ts";

/** What whoever installs the operator decides for all Tasks. */
export interface OperatorOptions extends Allowed {
  /** Those it looks after. */
  namespaces: readonly string[];
  /** Images by agent type, where a Task names none. */
  images: Readonly<Record<string, string>>;
  /** Has git and a shell; clones workspaces and lays out plugins. */
  initImage: string;
  imagePullPolicy: "Always" | "IfNotPresent" | "Never" | undefined;
  /** Of the agent's container, where a Task says nothing. */
  resources: { requests: Readonly<Record<string, string>>; limits: Readonly<Record<string, string>> };
  /** Undefined: agents reach whatever pods reach. */
  fence: Fence | undefined;
  /** A Coxswain server that keeps transcripts, and the Secret whose key `token` opens it. */
  server: { url: string; tokenSecret: string } | undefined;
  /** How long an image may be missing, or a container fail to be made, before the attempt counts as failed. */
  startTimeoutMs: number;
  retryBackoff: Backoff;
  /** Tasks of one namespace that are worked on at the same time. */
  workers: number;
}

export const defaultOptions: OperatorOptions = {
  namespaces: [],
  images: {},
  initImage: "",
  imagePullPolicy: undefined,
  resources: {
    requests: { cpu: "250m", memory: "512Mi", "ephemeral-storage": "256Mi" },
    limits: { memory: "4Gi", "ephemeral-storage": "20Gi" },
  },
  fence: undefined,
  server: undefined,
  startTimeoutMs: 600_000,
  retryBackoff: { base: 10_000, factor: 2, cap: 300_000 },
  workers: 16,
};
