import type { McpServer } from "../../../../contract/runs/mcp-server.ts";
import type { Exit } from "../../protocol.ts";
import type { Resume } from "../conversation.ts";
import { type Dialect, deadToken, type ExitTrouble, plainText } from "../dialect.ts";
import { type CodexExecState, codexExecTranslator } from "./translate.ts";

/** `codex exec --json`: `-` in the place of the prompt says that it comes on stdin. */
export const codexExecDialect: Dialect<CodexExecState> = {
  name: "codex-exec",
  translator: codexExecTranslator,
  mcpArguments,
  promptArguments: ["-"],
  neverAsks:
    "codex exec never asks: what its sandbox doesn't allow fails; choose the sandbox with -s in the agent's command",
  explainExit,
  waiting: (state) => (state.isWaiting ? "said" : "no"),
};

/** JSON strings and arrays of strings are TOML too; a table isn't. codex splits the path at dots, whatever the quotes. */
function mcpArguments({ name, transport }: McpServer): string[] {
  const server = name.replace(/[^\w-]/g, "_");
  const set = (key: string, value: string) => ["-c", `mcp_servers.${server}.${key}=${value}`];
  const table = (record: Record<string, string>) =>
    `{${Object.entries(record)
      .map(([key, value]) => `${JSON.stringify(key)}=${JSON.stringify(value)}`)
      .join(",")}}`;
  if (transport.type !== "stdio") {
    return [...set("url", JSON.stringify(transport.url)), ...set("http_headers", table(transport.headers))];
  }
  const { command, args, env } = transport;
  return [...set("command", JSON.stringify(command)), ...set("args", JSON.stringify(args)), ...set("env", table(env))];
}

function explainExit({ code, signal }: Exit, stderr: string, resume: Resume | undefined): ExitTrouble | undefined {
  if (signal !== undefined || code === 0) return undefined;
  const said = plainText(stderr.replace(/^Reading (?:additional input|prompt) from stdin\.\.\.\n/m, ""));
  if (resume !== undefined && /no rollout found|no (?:session|thread) found/i.test(said))
    return deadToken("codex", resume);
  if (/not inside a trusted directory/i.test(said)) {
    const remedy = "run in a git repository, or add --skip-git-repo-check to the agent's command";
    return { category: "other", message: said, remedy };
  }
  return said === "" ? undefined : { category: "process", message: said };
}
