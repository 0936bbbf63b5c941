import { expect, test } from "vitest";
import { chosenProvider } from "./provider-config.ts";

const acme = '[model_providers.acme]\nname = "Acme"\nenv_key = "ACME_KEY" # the key\n';

test.each<[string, string, ReturnType<typeof chosenProvider>]>([
  ["nothing", "", undefined],
  ["the agent's own", 'model = "x"\nmodel_provider = "openai"\n', undefined],
  ["described, but not chosen", acme, undefined],
  ["chosen", `model_provider = "acme"\n${acme}`, { name: "acme", envKey: "ACME_KEY" }],
  ["in a comment", `# model_provider = "acme"\n${acme}`, undefined],
  [
    "without a key",
    "model_provider = 'local'\n[model_providers.local]\nbase_url = \"http://x\"\n",
    { name: "local", envKey: undefined },
  ],
  [
    "in one line",
    'model_provider = "a"\nmodel_providers.a = { name = "A", env_key = "A_KEY" }\n',
    { name: "a", envKey: "A_KEY" },
  ],
  [
    "a line of the table of all",
    'model_provider = "a"\n[model_providers]\na = { env_key = "A_KEY" }\n',
    { name: "a", envKey: "A_KEY" },
  ],
  [
    "by a profile",
    `profile = "work"\n[profiles.work]\nmodel_provider = "acme"\n${acme}`,
    { name: "acme", envKey: "ACME_KEY" },
  ],
  [
    "a profile that says nothing of it",
    `profile = "w"\nmodel_provider = "acme"\n[profiles.w]\nmodel = "m"\n${acme}`,
    { name: "acme", envKey: "ACME_KEY" },
  ],
  [
    "with a quoted name",
    'model_provider = "a-b"\n[model_providers."a-b"]\nenv_key = "K"\n',
    { name: "a-b", envKey: "K" },
  ],
  [
    "a key of another table",
    'model_provider = "a"\n[model_providers.a]\nname = "A"\n[mcp_servers.b]\nenv_key = "NO"\n',
    { name: "a", envKey: undefined },
  ],
])("%s", (_, toml, chosen) => {
  expect(chosenProvider(toml)).toEqual(chosen);
});
