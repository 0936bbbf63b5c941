import { shellWords } from "../../../lib/text/shell-words.ts";

/** Claude's settings with our hooks in them, beside those that were there. */
export function claudeSettings(given: Readonly<Record<string, unknown>>, script: string): Record<string, unknown> {
  const run = (event: string) => ({ type: "command", command: `sh ${shellWords([script])} ${event}` });
  const hook = (event: string, matcher = "") => ({ matcher, hooks: [run(event)] });
  const ours: Record<string, unknown[]> = {
    SessionStart: [hook("start")],
    UserPromptSubmit: [hook("user_prompt_submit")],
    PreToolUse: [hook("pre_tool_use", "ExitPlanMode|AskUserQuestion|EnterPlanMode")],
    PostToolUse: [hook("post_tool_use")],
    PermissionRequest: [hook("permission_request")],
    Notification: [hook("notification", "idle_prompt|permission_prompt")],
    Stop: [hook("stop")],
    SessionEnd: [hook("session_end")],
  };
  const theirs = recordOf(given.hooks);
  const hooks = Object.fromEntries(
    [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].map((name) => [
      name,
      [...listOf(theirs[name]), ...(ours[name] ?? [])],
    ]),
  );
  const permissions = recordOf(given.permissions);
  const allow = [...listOf(permissions.allow), "Bash(cox send:*)"];
  return { ...given, permissions: { ...permissions, allow }, hooks };
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * What each hook runs: puts what the agent says on the pipe, in one piece. A long text goes into a file, since the kernel
 * keeps writers apart only up to 4 KB. The pipe is opened both ways: without a host, nobody waits. At the start and before a
 * stop the host is also asked, and may answer.
 */
export const hookScript = (node: string): string => `#!/bin/sh
LC_ALL=C
export LC_ALL
data=$(tr -d '\\n\\r')
[ -n "$data" ] || data='{}'
if [ -p "$COOP_HOOK_PIPE" ]; then
  if [ \${#data} -lt 3500 ]; then
    printf '{"event":"%s","data":%s}\\n' "$1" "$data" 1<>"$COOP_HOOK_PIPE"
  else
    file=$(mktemp "\${COOP_HOOK_PIPE%/*}/hook-XXXXXXXX")
    printf '%s' "$data" > "$file"
    printf '{"event":"%s","file":"%s"}\\n' "$1" "\${file##*/}" 1<>"$COOP_HOOK_PIPE"
  fi
fi
case $1 in
  stop) printf '{"event":"stop","data":%s}' "$data" | ${shellWords([node])} -e '${RELAY}' hooks/stop ;;
  start) printf '{"event":"start","data":%s}' "$data" | ${shellWords([node])} -e '${RELAY}' hooks/start | sh ;;
esac
exit 0
`;

/** Posts its input to the host and prints the answer. In shell quotes, so without single ones. */
const RELAY = `
const url = process.env.COOP_URL, socketPath = process.env.COOP_SOCKET;
if (url || socketPath) {
  const { hostname, port } = new URL(url || "http://localhost");
  const path = "/api/v1/" + process.argv[1];
  const authorization = "Bearer " + process.env.COOP_HOOK_TOKEN;
  const headers = { "content-type": "application/json", authorization };
  const where = url ? { hostname, port } : { socketPath };
  const request = require("node:http").request({ ...where, path, method: "POST", headers, timeout: 10000 }, (answer) => {
    if (answer.statusCode === 200) answer.pipe(process.stdout);
  });
  request.on("error", () => {});
  process.stdin.pipe(request);
}`;
