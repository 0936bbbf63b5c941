import { nearest } from "../../lib/text/nearest.ts";

/** Every command: its line in `cox help`, and where it is loaded from when it is used. */
export const commands = {
  run: { summary: "run an agent on a prompt, live", load: () => import("./run.ts"), hidden: false },
  loop: {
    summary: "run an agent again and again until the task is done",
    load: () => import("../../faces/cli/commands/loop.ts"),
    hidden: false,
  },
  wrap: {
    summary: "use an agent in your terminal as always, and keep it as a run",
    load: () => import("../../faces/cli/commands/wrap.ts"),
    hidden: false,
  },
  play: {
    summary: "see a recorded terminal again",
    load: () => import("../../faces/cli/commands/play.ts"),
    hidden: false,
  },
  serve: {
    summary: "show every run in the browser and over HTTP",
    load: () => import("./serve.ts"),
    hidden: false,
  },
  token: { summary: "make and revoke tokens for the server", load: () => import("./token.ts"), hidden: false },
  ls: { summary: "list runs", load: () => import("../../faces/cli/commands/ls.ts"), hidden: false },
  show: {
    summary: "show all that is known of a run",
    load: () => import("../../faces/cli/commands/show.ts"),
    hidden: false,
  },
  logs: {
    summary: "print what a run said and did",
    load: () => import("../../faces/cli/commands/logs.ts"),
    hidden: false,
  },
  output: {
    summary: "print what a run produced",
    load: () => import("../../faces/cli/commands/output.ts"),
    hidden: false,
  },
  attach: { summary: "watch a run live, answer it, give it prompts", load: () => import("./attach.ts"), hidden: false },
  chat: {
    summary: "talk with an agent: a new conversation, or one you had",
    load: () => import("./chat.ts"),
    hidden: false,
  },
  prompt: {
    summary: "give a live run its next prompt",
    load: () => import("../../faces/cli/commands/prompt.ts"),
    hidden: false,
  },
  interrupt: {
    summary: "interrupt the turn a run is working on",
    load: () => import("../../faces/cli/commands/interrupt.ts"),
    hidden: false,
  },
  stop: { summary: "end runs", load: () => import("../../faces/cli/commands/stop.ts"), hidden: false },
  inbox: {
    summary: "show what agents wait for",
    load: () => import("../../faces/cli/commands/inbox.ts"),
    hidden: false,
  },
  answer: {
    summary: "answer what an agent asks",
    load: () => import("../../faces/cli/commands/answer.ts"),
    hidden: false,
  },
  rules: {
    summary: "see and revoke decisions for good",
    load: () => import("../../faces/cli/commands/rules.ts"),
    hidden: false,
  },
  acp: { summary: "be an agent for an editor (ACP on stdio)", load: () => import("./acp.ts"), hidden: false },
  agent: {
    summary: "see which agents there are, try one, keep one running",
    load: () => import("./agent.ts"),
    hidden: false,
  },
  setup: {
    summary: "give an agent the hooks that a supervisor relies on",
    load: () => import("./setup.ts"),
    hidden: false,
  },
  hook: { summary: "what an agent's hooks call", load: () => import("../../faces/cli/commands/hook.ts"), hidden: true },
  profile: {
    summary: "keep an agent with its model, keys and policy under one name",
    load: () => import("../../faces/cli/commands/profile.ts"),
    hidden: false,
  },
  demo: {
    summary: "see a run from beginning to end, without an account",
    load: () => import("./demo.ts"),
    hidden: false,
  },
  bus: { summary: "post and read messages", load: () => import("../../faces/cli/commands/bus.ts"), hidden: false },
  task: {
    summary: "make tasks, start, review and finish them",
    load: () => import("../../faces/cli/commands/task.ts"),
    hidden: false,
  },
  queue: {
    summary: "let tasks wait for their turn",
    load: () => import("../../faces/cli/commands/queue.ts"),
    hidden: false,
  },
  mcp: { summary: "carry a run's own tools to its agent", load: () => import("./mcp.ts"), hidden: false },
  translate: {
    summary: "turn an agent's saved output into events",
    load: () => import("../../faces/cli/commands/translate.ts"),
    hidden: false,
  },
  diff: { summary: "show what a run changed", load: () => import("../../faces/cli/commands/diff.ts"), hidden: false },
  undo: {
    summary: "put files back to where they were",
    load: () => import("../../faces/cli/commands/undo.ts"),
    hidden: false,
  },
  review: {
    summary: "walk through finished tasks: merge, send back, drop",
    load: () => import("../../faces/cli/commands/review.ts"),
    hidden: false,
  },
  merge: {
    summary: "bring a task's work onto its branch",
    load: () => import("../../faces/cli/commands/merge.ts"),
    hidden: false,
  },
  gc: { summary: "delete old runs and worktrees", load: () => import("../../faces/cli/commands/gc.ts"), hidden: false },
  budget: {
    summary: "limit what a project may spend",
    load: () => import("../../faces/cli/commands/budget.ts"),
    hidden: false,
  },
  notify: {
    summary: "be told when you are needed",
    load: () => import("../../faces/cli/commands/notify.ts"),
    hidden: false,
  },
  tree: {
    summary: "show runs with the runs they started",
    load: () => import("../../faces/cli/commands/tree.ts"),
    hidden: false,
  },
  wait: {
    summary: "wait until runs have ended",
    load: () => import("../../faces/cli/commands/wait.ts"),
    hidden: false,
  },
  operator: {
    summary: "look after the Tasks of a Kubernetes cluster",
    load: () => import("./operator.ts"),
    hidden: false,
  },
  doctor: { summary: "check this machine", load: () => import("../../faces/cli/commands/doctor.ts"), hidden: false },
  config: {
    summary: "look at and change settings",
    load: () => import("../../faces/cli/commands/config.ts"),
    hidden: false,
  },
  completion: {
    summary: "print a completion script for your shell",
    load: () => import("./completion.ts"),
    hidden: false,
  },
  version: { summary: "print the version", load: () => import("../../faces/cli/commands/version.ts"), hidden: false },
  terminal: {
    summary: "run an agent in a terminal that programs can read and type into",
    load: () => import("./terminal.ts"),
    hidden: false,
  },
  screen: { summary: "print what a hosted terminal shows", load: () => import("./screen.ts"), hidden: false },
  input: { summary: "type into a hosted terminal", load: () => import("./input.ts"), hidden: false },
  hub: { summary: "see and reach many hosted terminals in one place", load: () => import("./hub.ts"), hidden: false },
  send: { summary: "say that an agent held by its host may stop", load: () => import("./send.ts"), hidden: false },
  k8s: { summary: "run agents on a Kubernetes cluster", load: () => import("./k8s.ts"), hidden: false },
  capture: {
    summary: "say what an agent's container produced (called by its entrypoint)",
    load: () => import("./capture.ts"),
    hidden: true,
  },
  "container-run": {
    summary: "run the agent of a container (called by its entrypoint)",
    load: () => import("./container-run.ts"),
    hidden: true,
  },
  host: {
    summary: "own a detached run (started by cox itself)",
    load: () => import("../../faces/cli/commands/host.ts"),
    hidden: true,
  },
} as const;

export type CommandName = keyof typeof commands;

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(commands, name);

/** What people try who know it from elsewhere. */
const meant: Readonly<Record<string, string>> = {
  agents: "agent ls",
  cancel: "stop",
  kill: "stop",
  list: "ls",
  ps: "ls",
  resume: "run --resume RUN",
  rm: "gc",
  start: "run",
  status: "show",
  tasks: "task ls",
  worktrees: "run --worktree",
};

/** Commands that begin alike or differ by a letter or two. */
export function suggestions(name: string): string[] {
  const known = Object.hasOwn(meant, name) ? meant[name] : undefined;
  if (known !== undefined) return [known];
  const shown = Object.entries(commands).filter(([, { hidden }]) => !hidden);
  return nearest(
    name,
    shown.map(([key]) => key),
  );
}
