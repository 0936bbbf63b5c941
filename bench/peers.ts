import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import install, { programs } from "../test/real-agents/install.ts";
import { type Api, startModelServer } from "../test/real-agents/model-server.ts";
import { cox, cpuOf } from "./scenes/scene.ts";

/**
 * `npm run bench:peers [WORD]`: what cox adds to an agent. The CPU of one trivial turn of each real agent, all processes summed:
 * called as its makers say, and by `cox run` with its tools. Alternating rounds, medians, in multiples of `node -e 0`.
 */
interface Bare {
  name: string;
  api: Api;
  command: string;
  /** Settings in the person's home and environment, the same for both. */
  prepare(home: string, url: string, workspace: string): Record<string, string>;
}

const write = (path: string, content: string | object): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
};

const agents: readonly Bare[] = [
  {
    name: "claude",
    api: "anthropic",
    command: "claude -p --output-format stream-json --verbose hello </dev/null",
    prepare: (_home, url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "good-key",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
  },
  {
    name: "codex",
    api: "openai",
    command: "codex exec --json --skip-git-repo-check hello </dev/null",
    prepare(home, url) {
      const provider = `[model_providers.local]\nname = "local"\nbase_url = "${url}/v1"\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n`;
      const quiet = "check_for_update_on_startup = false\n[features]\nplugins = false\n[analytics]\nenabled = false\n";
      write(join(home, ".codex/config.toml"), `model = "gpt-5.5"\nmodel_provider = "local"\n${quiet}${provider}`);
      return { OPENAI_API_KEY: "good-key" };
    },
  },
  {
    name: "gemini",
    api: "gemini",
    command: "gemini -p hello </dev/null",
    prepare(home, url, workspace) {
      write(join(home, ".gemini/settings.json"), {
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      });
      write(join(home, ".gemini/trustedFolders.json"), { [workspace]: "TRUST_FOLDER" });
      return { GEMINI_API_KEY: "good-key", GOOGLE_GEMINI_BASE_URL: url };
    },
  },
  {
    name: "opencode",
    api: "openai",
    command: "opencode run hello </dev/null",
    prepare(home, url) {
      const models = { "fake-1": { limit: { context: 100_000, output: 8000 } } };
      const options = { baseURL: `${url}/v1`, apiKey: "good-key" };
      write(join(home, ".config/opencode/opencode.json"), {
        share: "disabled",
        model: "local/fake-1",
        enabled_providers: ["local"],
        provider: { local: { npm: "@ai-sdk/openai-compatible", models, options } },
      });
      return {
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      };
    },
  },
];

const ROUNDS = 10;
const [, , wanted = ""] = process.argv;

install();
console.log("agent      node -e 0      bare   through cox   cox adds   of bare");
for (const agent of agents.filter(({ name }) => name.includes(wanted))) await measure(agent);

async function measure({ name, api, command, prepare }: Bare): Promise<void> {
  // Not in the temp directory: codex refuses to work with a home there.
  const homes = join(homedir(), ".cache", "coxswain", "bench");
  mkdirSync(homes, { recursive: true, mode: 0o700 });
  const home = mkdtempSync(join(homes, `${name}-`));
  const workspace = mkdtempSync(join(tmpdir(), "cox-bench-"));
  const server = await startModelServer(api);
  try {
    execFileSync("git", ["init", "-q", workspace]);
    const author = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
    execFileSync("git", ["-C", workspace, ...author, "commit", "-q", "--allow-empty", "-m", "as people's are"]);
    const env = {
      PATH: [programs, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
      HOME: home,
      LANG: "C.UTF-8",
      ...(process.env.NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS } : {}),
      ...prepare(home, server.url, workspace),
    };
    const here = (what: string) => cpuOf(`cd ${workspace} && ${what}`, 1, env);
    const subjects = {
      node: () => here("node -e 0"),
      bare: () => here(command),
      cox: () => here(`node ${cox} run --agent ${name} hello </dev/null`),
    };
    const costs: Record<keyof typeof subjects, number[]> = { node: [], bare: [], cox: [] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const each of ["node", "bare", "cox"] as const) {
        const cost = subjects[each]();
        if (round > 0) costs[each].push(cost); // the first makes what later ones find
      }
    }
    const [node, bare, through] = [median(costs.node), median(costs.bare), median(costs.cox)];
    const of = (cost: number) => `${cost.toFixed(0)} ms ${(cost / node).toFixed(1)}x`;
    const row = [
      of(node).split(" ").slice(0, 2).join(" "),
      of(bare),
      of(through),
      `${((through - bare) / node).toFixed(1)}x`,
    ];
    console.log(
      `${name.padEnd(9)} ${row.map((cell) => cell.padStart(12)).join(" ")} ${(through / bare).toFixed(2).padStart(8)}`,
    );
  } finally {
    server.stop();
    for (const path of [home, workspace]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
