import { blankRunInfo } from "../../../../contract/runs/run.ts";
import type { TaskWork } from "../../../../core/runs/task-work.ts";

/** For tests: what came of a task in a worktree. */
export const testWork = (left: TaskWork["left"]): TaskWork => ({
  run: { ...blankRunInfo, run_id: "20260801-1100000001-0000042-0001", handle: 7, agent: "demo", status: "completed" },
  runs: 2,
  costUsd: 0.25,
  tookMs: 90_000,
  said: "I fixed it.",
  results: { tests: "42 passed" },
  worktree: {
    version: 1,
    project: "p",
    task: "one",
    path: "/worktrees/p/one",
    repository: "/repository",
    common_dir: "/repository/.git",
    branch: "cox/one",
    base_branch: "main",
    base_commit: "c0",
    created_at: "",
    ready: true,
  },
  left,
  files: [
    { path: "a.txt", change: "modify", added: 1, removed: 1, binary: false, unified: "@@ -1 +1 @@\n-a\n+b\u200b\n" },
  ],
});
