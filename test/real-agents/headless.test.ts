import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "../../src/lib/process/holders/identity.ts";
import { root, until } from "../support/cox.ts";
import { codex } from "./agents/codex.ts";
import { gemini } from "./agents/gemini.ts";
import { opencode } from "./agents/opencode.ts";
import { startModelServer } from "./model-server.ts";
import { Stage } from "./stage.ts";

type Run = Awaited<ReturnType<ReturnType<typeof coxswain>["start"]>>;

/** As it is built: a host takes orders only from the same build. */
const { coxswain }: typeof import("../../src/index.ts") = createRequire(import.meta.url)(join(root, "dist/index.cjs"));

/** The same programs, started anew for every turn: what their entries change of ours, and one that gives its own flags. */
const entries = [
  [
    "codex exec",
    codex,
    {
      cmd: ["codex", "exec", "--json", "--skip-git-repo-check"],
      protocol: "codex-exec",
      model_flag: '-c model="{model}"',
    },
  ],
  ["gemini, streaming", gemini, { cmd: ["gemini", "-o", "stream-json"], protocol: "gemini" }],
  ["gemini, one object per turn", gemini, { cmd: ["gemini", "--output-format=json"], protocol: "gemini" }],
  [
    "opencode run",
    opencode,
    { cmd: ["opencode", "run", "--format", "json"], protocol: "opencode", model_flag: "-m {model}" },
  ],
] as const;

test.for(entries)(
  "%s remembers, switches its model, and is resumed in another run",
  {
    timeout: 120_000,
  },
  async ([, agent, entry], { onTestFinished }) => {
    const stage = new Stage(agent.name, onTestFinished);
    agent.prepare?.(stage);
    const server = await startModelServer(agent.api);
    onTestFinished(() => void server.stop());
    const [first, second] = agent.models;
    const profile = { agent: agent.name, model: first, base_url: server.url + (agent.path ?? ""), token: "good-key" };
    mkdirSync(join(stage.coxHome, "profiles"), { recursive: true });
    const lines = Object.entries(profile).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
    writeFileSync(join(stage.coxHome, "profiles", "real.yaml"), lines.join(""), { mode: 0o600 });
    writeFileSync(join(stage.coxHome, "agents.json"), JSON.stringify({ id: agent.name, ...entry }));

    const { start } = coxswain({ env: { ...stage.env, ...agent.env }, home: stage.coxHome });
    const run = await start({
      prompt: "the magic word is heron",
      profile: "real",
      workspace: stage.workspace,
      mode: "interactive",
    });
    onTestFinished(() => ended(run));
    expect(await run.turn()).toMatchObject({ outcome: "completed" });
    expect((await run.turn("@recall")).finalResponse).toContain("heron");
    await run.setOption("model", second);
    const bare = second.slice(second.indexOf("/") + 1); // its server knows nothing of providers
    expect((await run.turn("which model are you?")).finalResponse).toContain(bare);
    expect((await run.turn("@recall")).finalResponse).toContain("heron");
    await run.stop();

    const later = await run.resume("@recall");
    onTestFinished(() => ended(later));
    expect((await later.turn()).finalResponse).toContain("heron");
    expect((await later.turn("which model are you?")).finalResponse).toContain(bare);
  },
);

/** Its host too: it keeps what it loaded in the state folder, which is about to go. */
async function ended(run: Run): Promise<void> {
  const { host_pid: pid, host_start: start } = await run.stop();
  await until(() => !isAlive({ pid, start }));
}
