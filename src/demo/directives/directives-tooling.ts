import { RequestError } from "@agentclientprotocol/sdk";
import { editFile, readTextFile, runCommand, useMcp, useTool } from "../tools.ts";
import { firstWord } from "../words.ts";
import type { Directive } from "./directives.ts";

export const tooling: Record<string, Directive> = {
  tool: async (turn, rest) => {
    const [name, title] = firstWord(rest);
    const tool = { name, title: title || name, kind: "other", rawInput: { title } } as const;
    await useTool(turn, tool, () => ({ status: "completed", text: `${name} is done.` }));
  },
  read: async (turn, path) => {
    await readTextFile(turn, path);
  },
  edit: async (turn, rest) => {
    const [path, text] = firstWord(rest);
    await editFile(turn, path, `${text}\n`);
  },
  run: async (turn, command) => {
    await runCommand(turn, command);
  },
  mcp: async (turn, rest) => {
    const [server, call] = firstWord(rest);
    const [tool, input] = firstWord(call);
    await useMcp(turn, server, tool, parseInput(input));
  },
};

function parseInput(json: string): unknown {
  try {
    return JSON.parse(json || "{}");
  } catch (error) {
    throw RequestError.invalidParams({ json }, `@mcp wants JSON as its last word: ${String(error)}`);
  }
}
