import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { changeProfile, profileNames, readProfile, removeProfile } from "./profile-files.ts";
import { policyOf } from "./profile-policy.ts";

function home(text?: string): string {
  const folder = temporaryFolder();
  if (text !== undefined) {
    mkdirSync(join(folder, "profiles"));
    writeFileSync(join(folder, "profiles", "work.yaml"), text);
  }
  return folder;
}

const whole = `agent: claude
model: opus
base_url: https://gateway.example/v1
token: env:WORK_KEY
env: { HTTPS_PROXY: "http://127.0.0.1:1" }
permissions:
  default: ask
  read: allow
switches: { auto_approve: false }
mcp_servers:
  github: { command: npx, args: [-y, gh-mcp], env: { TOKEN: env:GH } }
  docs: { url: "https://docs.example/mcp", headers: { Authorization: Bearer file:~/docs.key } }
home: private
on: local
`;

describe("a profile", () => {
  test("is read whole", async () => {
    const profile = await readProfile(home(whole), "work");
    expect(profile).toMatchObject({ agent: "claude", model: "opus", token: "env:WORK_KEY", home: "private" });
    expect(policyOf(profile)).toEqual({ default: "ask", kinds: { read: "allow" } });
    expect(profile.mcp_servers?.docs).toMatchObject({ type: "http", url: "https://docs.example/mcp" });
  });

  test("with one mode for everything", async () => {
    expect(policyOf(await readProfile(home("agent: x\npermissions: deny\n"), "work"))).toEqual({ default: "deny" });
    expect(policyOf(await readProfile(home("agent: x\n"), "work"))).toEqual({});
  });

  test("nobody made is not found, and the others are named", async () => {
    await expect(readProfile(home("agent: x"), "play")).rejects.toThrow(
      expect.objectContaining({
        code: "profile.not_found",
        message: "profile play: not found; there are work; make it with: cox profile set play --agent AGENT",
      }),
    );
  });

  test.each(["../work", "a/b", "", "Work"])("can't be called %j", async (name) => {
    await expect(readProfile(home(whole), name)).rejects.toThrow(expect.objectContaining({ code: "id.invalid" }));
  });
});

describe("what is wrong is said with its line", () => {
  const cases: Record<string, [text: string, message: string | RegExp]> = {
    "a misspelt key": [
      "agent: claude\n\nmodle: opus\n",
      /^profiles\/work\.yaml: line 3: unknown key "modle"; known are agent, model, base_url, token/,
    ],
    "a value that isn't allowed": [
      "agent: claude\nhome: mine\n",
      'profiles/work.yaml: line 2: home "mine": unknown; valid: own, private',
    ],
    "a word for a switch": [
      "agent: claude\nswitches:\n  auto_approve: maybe\n",
      "profiles/work.yaml: line 3: switches.auto_approve: must be a boolean, not a string",
    ],
    "a key deep down": [
      "agent: claude\nmcp_servers:\n  gh:\n    command: npx\n    argz: []\n",
      'profiles/work.yaml: line 5: mcp_servers.gh: unknown key "argz"',
    ],
    "a server that is both": [
      "agent: claude\nmcp_servers:\n  gh: { command: npx, url: 'https://x.example' }\n",
      "profiles/work.yaml: line 3: mcp_servers.gh: give either command or url",
    ],
    "an address with a password in it": [
      "agent: claude\nbase_url: https://me:secret@gateway.example\n",
      "profiles/work.yaml: line 2: base_url: must not contain a name or password; use token",
    ],
    "an address that is none": [
      "agent: claude\nbase_url: gateway\n",
      "profiles/work.yaml: line 2: base_url: must be an http or https address",
    ],
    "an unknown kind of tool": [
      "agent: claude\npermissions: { shell: allow }\n",
      /^profiles\/work\.yaml: line 2: permissions: /,
    ],
    "no agent": ["model: opus\n", "profiles/work.yaml: agent: missing"],
    "no YAML": ["agent: [claude\n", /^profiles\/work\.yaml: line \d: /],
    nothing: ["", /^profiles\/work\.yaml: must be an object, not null/],
  };
  test.each(Object.entries(cases))("%s", async (_, [text, message]) => {
    await expect(readProfile(home(text), "work")).rejects.toThrow(expect.objectContaining({ code: "config.invalid" }));
    await expect(readProfile(home(text), "work")).rejects.toThrow(message);
  });

  test("without what may be a secret", async () => {
    const folder = home("agent: claude\nbase_url: https://me:secret@gateway.example\n");
    const error: unknown = await readProfile(folder, "work").catch((error: unknown) => error);
    expect(String(error)).toContain("line 2");
    expect(JSON.stringify(error) + String(error)).not.toContain("secret@");
  });
});

describe("changing one", () => {
  test("makes it, for the person's eyes only", async () => {
    const folder = home();
    await changeProfile(folder, "work", { agent: "claude", token: "sk-1" });
    const file = join(folder, "profiles", "work.yaml");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "profiles")).mode & 0o777).toBe(0o700);
    expect(readFileSync(file, "utf8")).toBe("agent: claude\ntoken: sk-1\n");
  });

  test("leaves the rest as it was written", async () => {
    const folder = home("# for the office\nagent: claude\nmodel: opus # the big one\nhome: own\n");
    await changeProfile(folder, "work", { home: undefined, base_url: "https://x.example" });
    expect(readFileSync(join(folder, "profiles", "work.yaml"), "utf8")).toBe(
      "# for the office\nagent: claude\nmodel: opus # the big one\nbase_url: https://x.example\n",
    );
  });

  test("to something wrong changes nothing", async () => {
    const folder = home("agent: claude\n");
    await expect(changeProfile(folder, "work", { home: "mine" })).rejects.toThrow("home");
    expect(readFileSync(join(folder, "profiles", "work.yaml"), "utf8")).toBe("agent: claude\n");
  });

  test("lists and removes", async () => {
    const folder = home("agent: x\n");
    writeFileSync(join(folder, "profiles", "notes.txt"), "");
    expect(profileNames(folder)).toEqual(["work"]);
    removeProfile(folder, "work");
    expect(profileNames(folder)).toEqual([]);
    expect(() => removeProfile(folder, "work")).toThrow(expect.objectContaining({ code: "profile.not_found" }));
    expect(profileNames(temporaryFolder())).toEqual([]);
  });
});
