import type { Json } from "../read.ts";

/** JSON-RPC as `codex app-server` speaks it: without the `jsonrpc` member, one object per line. */
export interface CodexMessage {
  readonly id?: RpcId;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: unknown;
  readonly error?: Json;
}

export type RpcId = string | number;

export const METHOD_NOT_FOUND = -32601;

/** An interrupt of ours because the network is down, told from a person's by its id: on the wire they are the same. */
export const DEADLINE_ID = "network-deadline";

export const pendingIdOf = (id: RpcId) => `p${id}`;

/** Every notification and request of 0.166, every item, and why we say nothing about those we ignore. */
export const wireTypes: Readonly<Record<string, string>> = {
  error: "mapped",
  "thread/started": "mapped",
  "thread/settings/updated": "mapped",
  "thread/name/updated": "mapped",
  "thread/tokenUsage/updated": "mapped",
  "turn/started": "mapped",
  "turn/completed": "mapped",
  "turn/plan/updated": "mapped",
  "item/started": "mapped",
  "item/completed": "mapped",
  "item/agentMessage/delta": "mapped",
  "item/reasoning/summaryTextDelta": "mapped",
  "item/reasoning/summaryPartAdded": "mapped",
  "item/reasoning/textDelta": "mapped",
  "item/commandExecution/outputDelta": "mapped",
  "item/fileChange/outputDelta": "mapped",
  "item/fileChange/patchUpdated": "mapped",
  "item/mcpToolCall/progress": "mapped",
  "serverRequest/resolved": "mapped",
  "account/rateLimits/updated": "mapped",
  "model/rerouted": "mapped",
  "mcpServer/startupStatus/updated": "mapped",
  warning: "mapped",
  guardianWarning: "mapped",
  configWarning: "mapped",
  deprecationNotice: "mapped",
  "modelProvider/authRecoveryStarted": "mapped",
  "thread/status/changed": "ignored because turns and requests tell it",
  "thread/readState/changed": "ignored because who has read what is not the agent's affair",
  "thread/archived": "ignored because it is not about this conversation's turns",
  "thread/unarchived": "ignored because it is not about this conversation's turns",
  "thread/deleted": "ignored because it is not about this conversation's turns",
  "thread/closed": "ignored because the agent's exit tells it",
  "thread/reverted": "ignored because we never revert",
  "thread/compacted": "ignored because the item contextCompaction tells it",
  "thread/attachment/updated": "ignored because we attach nothing",
  "thread/goal/updated": "ignored because we set no goals",
  "thread/goal/cleared": "ignored because we set no goals",
  "thread/prediction/updated": "ignored because nobody asked for predictions",
  "thread/queue/changed": "ignored because we keep the queue ourselves",
  "thread/project/updated": "ignored because projects are the desktop app's affair",
  "thread/environment/connected": "ignored because the environment is ours",
  "thread/environment/disconnected": "ignored because the environment is ours",
  "project/changed": "ignored because projects are the desktop app's affair",
  "turn/diff/updated": "ignored because the file changes carry their own diffs",
  "turn/moderationMetadata": "ignored because it says nothing to a person",
  "item/plan/delta": "ignored because the item plan has the whole text",
  "item/commandExecution/terminalInteraction": "ignored because it repeats what the agent typed",
  "item/autoApprovalReview/started": "ignored because approvals are a person's here",
  "item/autoApprovalReview/completed": "ignored because approvals are a person's here",
  "autoApprovalReview/strictReviewRequired": "ignored because approvals are a person's here",
  "rawResponseItem/completed": "ignored because the items tell it",
  "rawResponse/completed": "ignored because the items tell it",
  "hook/started": "ignored because hooks are the CLI's own affair",
  "hook/completed": "ignored because hooks are the CLI's own affair",
  "skills/changed": "ignored because skills are the CLI's own affair",
  "app/list/updated": "ignored because apps are the CLI's own affair",
  "account/updated": "ignored because a failed login shows in its turn",
  "account/login/completed": "ignored because we start no login",
  "account/gatewayOAuth/changed": "ignored because we start no login",
  "mcpServer/oauthLogin/completed": "ignored because we start no login",
  "mcpServer/event/stream/notification": "ignored because we subscribe to no events",
  "modelProvider/authRecoveryCompleted": "ignored because the turn goes on",
  "model/verification": "ignored because it says nothing to a person",
  "model/safetyBuffering/updated": "ignored because it says nothing to a person",
  "remoteControl/status/changed": "ignored because we don't use remote control",
  "externalAgentConfig/import/progress": "ignored because we import nothing",
  "externalAgentConfig/import/completed": "ignored because we import nothing",
  "fs/changed": "ignored because we watch no files",
  "command/exec/outputDelta": "ignored because we run no commands through it",
  "process/outputDelta": "ignored because we run no commands through it",
  "process/exited": "ignored because we run no commands through it",
  "fuzzyFileSearch/sessionUpdated": "ignored because we search no files",
  "fuzzyFileSearch/sessionCompleted": "ignored because we search no files",
  "windows/worldWritableWarning": "ignored because it is about Windows",
  "windowsSandbox/setupCompleted": "ignored because it is about Windows",
  // requests of the agent
  "item/commandExecution/requestApproval": "mapped",
  "item/fileChange/requestApproval": "mapped",
  "item/permissions/requestApproval": "mapped",
  "item/tool/requestUserInput": "mapped",
  "mcpServer/elicitation/request": "mapped",
  "item/tool/call": "ignored because we offer no tools of our own; refused",
  "account/chatgptAuthTokens/refresh": "ignored because we hold no tokens; refused",
  "attestation/generate": "ignored because we did not offer it; refused",
  applyPatchApproval: "ignored because it belongs to the old API; refused",
  execCommandApproval: "ignored because it belongs to the old API; refused",
  // items
  "item:agentMessage": "mapped",
  "item:reasoning": "mapped",
  "item:plan": "mapped",
  "item:commandExecution": "mapped",
  "item:fileChange": "mapped",
  "item:mcpToolCall": "mapped",
  "item:dynamicToolCall": "mapped",
  "item:collabAgentToolCall": "mapped",
  "item:webSearch": "mapped",
  "item:imageView": "mapped",
  "item:imageGeneration": "mapped",
  "item:contextCompaction": "mapped",
  "item:exitedReviewMode": "mapped",
  "item:userMessage": "ignored because whoever sent it has recorded it",
  "item:hookPrompt": "ignored because hooks are the CLI's own affair",
  "item:functionCallOutput": "ignored because the call's own item tells it",
  "item:subAgentActivity": "ignored because the call that started the sub-agent is told",
  "item:sleep": "ignored because nothing happens in it",
  "item:enteredReviewMode": "ignored because its end has the text",
};

/** Voices and calls: a family of their own, which we never start. */
export const isKnown = (wireType: string) =>
  wireType.startsWith("thread/realtime/") || wireTypes[wireType] !== undefined;
