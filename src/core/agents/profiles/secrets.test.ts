import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { Profile } from "./profile.ts";
import { openProfile, readSecret } from "./secrets.ts";

const folder = temporaryFolder();
writeFileSync(join(folder, "key"), "from-file\n");
writeFileSync(join(folder, "empty"), "\n");
const env = { HOME: folder, KEY: "from-env", EMPTY: "" };

describe("a secret", () => {
  test.each([
    ["sk-plain", "sk-plain"],
    ["env:KEY", "from-env"],
    ["file:~/key", "from-file"],
    [`file:${folder}/key`, "from-file"],
    ["Bearer env:KEY", "Bearer from-env"],
    ["https://x.example", "https://x.example"],
  ])("%s", (text, value) => {
    expect(readSecret("token", text, env)).toBe(value);
  });

  test.each([
    ["env:MISSING", "profile work: token: env:MISSING: the variable MISSING is not set"],
    ["env:EMPTY", "profile work: token: env:EMPTY: the variable EMPTY is not set"],
    ["file:key", "profile work: token: file:key: name the file by its whole path"],
    ["file:~/none", "profile work: token: file:~/none: can't be read (ENOENT)"],
    ["file:~/empty", "profile work: token: file:~/empty: the file is empty"],
  ])("%s refuses the start", (text, message) => {
    expect(() => readSecret("profile work: token", text, env)).toThrow(
      expect.objectContaining({ code: "agent.not_ready", message }),
    );
  });
});

test("a profile is opened with its servers' secrets", () => {
  const profile = Profile.parse({
    agent: "claude",
    base_url: "https://x.example",
    token: "env:KEY",
    env: { A: "env:KEY" },
    switches: { auto_approve: true },
    mcp_servers: {
      local: { command: "npx", args: ["-y", "server"], env: { TOKEN: "file:~/key" } },
      remote: { url: "https://m.example", type: "sse", headers: { Authorization: "Bearer env:KEY" } },
    },
  });
  expect(openProfile("work", profile, env)).toEqual({
    wishes: {
      baseUrl: "https://x.example",
      token: "from-env",
      env: { A: "env:KEY" }, // a plain variable is what it says
      switches: { auto_approve: true },
      home: undefined,
    },
    mcpServers: [
      {
        name: "local",
        transport: { type: "stdio", command: "npx", args: ["-y", "server"], env: { TOKEN: "from-file" } },
      },
      {
        name: "remote",
        transport: { type: "sse", url: "https://m.example", headers: { Authorization: "Bearer from-env" } },
      },
    ],
  });
});

test("a secret that is missing is named with its server", () => {
  const profile = Profile.parse({ agent: "x", mcp_servers: { gh: { command: "npx", env: { TOKEN: "env:GH" } } } });
  expect(() => openProfile("work", profile, env)).toThrow("profile work: mcp_servers.gh.TOKEN: env:GH");
});
