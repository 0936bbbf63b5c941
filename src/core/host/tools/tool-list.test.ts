import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { type AgentOp, agentOps } from "../../../contract/agent-socket.ts";
import { harmlessTools } from "../../../contract/requests/policy.ts";

const file = join(import.meta.dirname, "tool-list.json");

/** Agents that go by these don't ask for leave to talk; for what starts something they do. */
const hints = { destructiveHint: false, openWorldHint: false };

const tools = (Object.keys(agentOps) as AgentOp[]).map((name) => ({
  name,
  description: agentOps[name].summary,
  inputSchema: z.toJSONSchema(agentOps[name].params, { io: "input" }),
  ...(harmlessTools.includes(name) ? { annotations: hints } : {}),
}));

/**
 * What every agent reads at its start is a file, so that no schema library is loaded for it. It is made of the table that
 * checks what they write then: `UPDATE_TOOLS=1 npx vitest run src/core/host/tools/tool-list.test.ts && npm run format`.
 */
test("the list of tools says what the run takes", () => {
  const made: unknown = JSON.parse(JSON.stringify(tools));
  if (process.env.UPDATE_TOOLS === "1") writeFileSync(file, JSON.stringify(made, null, 2));
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(made);
});
