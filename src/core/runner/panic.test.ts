import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { systemClock } from "../../lib/base/clock.ts";
import { planLaunch } from "../agents/launch/launch.ts";
import { Registry } from "../agents/registry/registry.ts";
import { acp } from "../protocols/acp/session.ts";
import { acpTranslator } from "../protocols/acp/translate.ts";
import { openHome } from "../store/home.ts";
import { type RunSpec, startRun } from "./run.ts";

const root = join(import.meta.dirname, "../../..");

function spec(prompt: string): RunSpec {
  const folder = temporaryFolder();
  const plan = planLaunch({
    definition: new Registry().get("demo"),
    workspace: folder,
    permissions: "allow",
    own: { node: process.execPath, package: root },
  });
  return {
    home: openHome(join(folder, "home")),
    plan,
    who: { agent: "demo", profile: "" },
    what: { prompt: [{ type: "text", text: prompt }], mode: "batch", preamble: false },
    where: { project: "p", task: "t", workspace: folder },
    limits: { permissions: "allow", timeoutMs: 20_000 },
    lineage: { by: "tester" },
    policy: { default: "allow" },
    callerEnv: { PATH: process.env.PATH, HOME: folder },
    mcpServers: [],
    bin: join(root, "bin"),
    clock: systemClock,
  };
}

const panic = () => {
  throw new Error("boom");
};

/** Whatever throws ends that run alone, as failed / internal, with a record that is whole. */
describe("an exception ends its run, and says so", () => {
  const places: Record<string, () => void> = {
    "in the translator": () => void vi.spyOn(acpTranslator, "step").mockImplementation(panic),
    "when the translator closes": () => void vi.spyOn(acpTranslator, "finish").mockImplementation(panic),
    "in the backend": () => void vi.spyOn(acp, "open").mockImplementation(panic),
  };

  test.each(Object.entries(places))("%s", async (_, arrange) => {
    arrange();
    const info = await startRun(spec("@say hi")).ended;
    vi.restoreAllMocks();
    expect(info).toMatchObject({ status: "failed", reason: "internal", exit_code: 1 });
    expect(info.error_summary).toContain("agent panic: boom");
    const healthy = await startRun(spec("@say hi")).ended;
    expect(healthy.status).toBe("completed");
  });

  test("in a callback", async () => {
    const run = startRun(spec("@say hi"));
    run.watch(panic);
    const info = await run.ended;
    expect(info).toMatchObject({ status: "failed", reason: "internal" });
    expect(info.error_summary).toContain("boom");
  });
});
