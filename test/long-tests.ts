/** Not in `npm test`, which stays under five minutes, but with the kills and the load. */
export const longTests = [
  "src/core/workspaces/git/hostile.test.ts",
  "test/escapes/*.test.ts",
  "test/browser/glance.test.ts",
  "test/browser/inbox-random.test.ts",
  "test/browser/screens.test.ts",
  "test/browser/talking.test.ts",
  "test/browser/terminals.test.ts",
  "test/e2e/container.test.ts",
  "test/e2e/git-commits.test.ts",
  "test/e2e/git-fence.test.ts",
  "test/e2e/sandbox.test.ts",
  "test/e2e/supervisor.test.ts",
  "test/e2e/supervisor-terminal.test.ts",
  "test/e2e/terminal-agent.test.ts",
  "test/e2e/terminal-attach.test.ts",
  "test/e2e/terminal-tmux.test.ts",
];
