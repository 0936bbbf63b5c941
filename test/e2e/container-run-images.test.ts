import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseOutputs } from "../../src/contract/outputs/outputs.ts";
import { decodeDigest } from "../../src/contract/outputs/outputs-digest.ts";
import { bundledAgentTypes } from "../../src/contract/resources/agent-types.ts";
import pins from "../real-agents/package.json" with { type: "json" };
import { finished, root, scene, until } from "../support/cox.ts";

const images = join(root, "images");
const dockerfile = (name: string) => readFileSync(join(images, name, "Dockerfile"), "utf8");
const all = ["base", ...bundledAgentTypes];

describe("the images", () => {
  test("there is one for every agent type", () => {
    for (const type of bundledAgentTypes) expect(readdirSync(images)).toContain(type);
  });

  test.each(all)("%s: what it is made from is named exactly", (name) => {
    const text = dockerfile(name);
    const from = [...text.matchAll(/^FROM\s+(\S+)/gm)].map(([, image]) => image ?? "");
    expect(from).toHaveLength(1);
    const variable = /^\$\{(\w+)\}$/.exec(from[0] ?? "")?.[1];
    const image = new RegExp(`^ARG ${variable}=(\\S+)$`, "m").exec(text)?.[1] ?? "";
    expect(image).toMatch(/:\d+\.\d+\.\d+(-[\w.-]+)?$/);
    expect(text).not.toMatch(/latest/);
  });

  test.each(all)("%s: ends as the user that isn't root, by number", (name) => {
    const users = [...dockerfile(name).matchAll(/^USER\s+(\S+)/gm)].map(([, user]) => user);
    expect(users.at(-1)).toBe("61100:61100");
  });

  test.each(all)("%s: fetches nothing by address", (name) => {
    const text = dockerfile(name);
    expect(text).not.toMatch(/^ADD\b/m);
    expect(text).not.toMatch(/curl\s+-|wget|https?:\/\/|\|\s*(ba)?sh\b/);
    expect(text).not.toMatch(/^#\s*syntax=/m); // a frontend of the builder would be fetched too
  });

  test.each([
    ["claude-code", "@anthropic-ai/claude-code", pins.dependencies["@anthropic-ai/claude-code"]],
    ["codex", "@openai/codex", pins.dependencies["@openai/codex"]],
    ["gemini", "@google/gemini-cli", pins.dependencies["@google/gemini-cli"]],
    ["opencode", "opencode-ai", pins.dependencies["opencode-linux-x64"]],
  ])("%s has the version that is tested", (type, name, version) => {
    const installed = [...dockerfile(type).matchAll(/npm install .*?(\S+)@(\S+)/g)].map(([, ...found]) => found);
    expect(installed).toEqual([[name, version]]);
    expect(dockerfile(type)).toContain(`ENV KELOS_AGENT_TYPE=${type}\n`);
  });

  test("the base brings the files of the interface, and they are one line each", () => {
    const text = dockerfile("base");
    expect(text).toMatch(/^COPY .*kelos_entrypoint\.sh \/kelos_entrypoint\.sh$/m);
    expect(text).toMatch(/^COPY .*kelos-capture \/kelos\/kelos-capture$/m);
    const script = (name: string) => readFileSync(join(images, "base", name), "utf8");
    expect(script("kelos_entrypoint.sh")).toBe('#!/bin/sh\nexec tini -g -- cox container-run "$@"\n');
    expect(script("kelos-capture")).toBe('#!/bin/sh\nexec cox capture "$@"\n');
    for (const name of ["kelos_entrypoint.sh", "kelos-capture", "gh"]) {
      expect(statSync(join(images, "base", name)).mode & 0o111, name).toBe(0o111);
    }
  });
});

test("gh takes the token of the file, which follows its Secret", () => {
  const it = scene();
  const script = readFileSync(join(images, "base/gh"), "utf8").replace("/usr/bin/gh", join(it.folder, "real-gh"));
  writeFileSync(join(it.folder, "real-gh"), '#!/bin/sh\necho "${GH_TOKEN:-} ${GH_ENTERPRISE_TOKEN:-} $*"\n');
  chmodSync(join(it.folder, "real-gh"), 0o755);
  const file = join(it.folder, "token");
  writeFileSync(file, "renewed\n");
  const gh = (env: Record<string, string>) =>
    execFileSync("sh", ["-c", script, "gh", "pr", "list"], { env, encoding: "utf8" });
  expect(gh({ GH_TOKEN: "old", KELOS_GITHUB_TOKEN_FILE: file })).toBe("renewed  pr list\n");
  expect(gh({ GH_HOST: "ghe.example", KELOS_GITHUB_TOKEN_FILE: file })).toBe(" renewed pr list\n");
  expect(gh({ GH_TOKEN: "old" })).toBe("old  pr list\n");
});

const tools = ["/usr/bin/bwrap", "/usr/bin/tini"];

/** The base's own files at their places, the interface's user, tini as PID 1: a pod in all but the image's layers. */
describe.skipIf(!tools.every((tool) => existsSync(tool)))("as in a pod", () => {
  function pod(agent: string) {
    const it = scene();
    const bin = join(it.folder, "bin");
    const home = join(it.folder, "agent-home");
    for (const folder of [bin, home]) mkdirSync(folder);
    const install = (name: string, script: string) => {
      writeFileSync(join(bin, name), `#!/bin/bash\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    };
    install("claude", agent);
    install("cox", `exec ${process.execPath} ${join(root, "bin/cox")} "$@"`);
    const terminationLog = join(it.folder, "termination-log");
    writeFileSync(terminationLog, "");
    for (const path of [it.folder, it.workspace, home, bin]) chmodSync(path, 0o777);
    chmodSync(terminationLog, 0o666);
    const options = [
      ...["--unshare-user", "--uid", "61100", "--gid", "61100", "--unshare-pid", "--as-pid-1", "--die-with-parent"],
      ...["--tmpfs", "/", "--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc"],
      ...["--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"],
      ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind", root, root],
      ...[
        "--bind",
        terminationLog,
        "/dev/termination-log",
        "--ro-bind",
        bin,
        "/opt/bin",
        "--bind",
        home,
        "/home/agent",
      ],
      ...["--ro-bind", join(images, "base/kelos_entrypoint.sh"), "/kelos_entrypoint.sh"],
      ...["--ro-bind", join(images, "base/kelos-capture"), "/kelos/kelos-capture"],
      ...["--bind", it.workspace, "/workspace/repo", "--chdir", "/workspace/repo", "--clearenv"],
    ];
    const env = {
      PATH: "/opt/bin:/usr/local/bin:/usr/bin:/bin",
      HOME: "/home/agent",
      KELOS_AGENT_TYPE: "claude-code",
      KELOS_BASE_BRANCH: "main",
    };
    const set = Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]);
    return {
      it,
      start: (...command: string[]) =>
        spawn("bwrap", [...options, ...set, ...command], { stdio: ["ignore", "pipe", "pipe"] }),
      digest: () => decodeDigest(readFileSync(terminationLog, "utf8")),
    };
  }
  const result = `echo '{"type":"result","subtype":"success","usage":{"input_tokens":1,"output_tokens":2},"result":"hi"}'`;

  test("the entrypoint runs the agent, reports, and leaves the digest where the kubelet looks", async () => {
    const { start, digest } = pod(`id -u; cat; echo; ${result}; exit 3`);
    const { code, stdout } = await finished(start("/kelos_entrypoint.sh", "-x marks the spot"));
    expect(stdout).toMatch(/^61100\n-x marks the spot/);
    expect(code).toBe(3);
    expect(parseOutputs(stdout)).toContain("input-tokens: 1");
    expect(digest()?.outputs).toEqual(parseOutputs(stdout));
  });

  test("asked to stop, the agent below tini hears it", async () => {
    const { it, start } = pod('trap "echo heard; exit 0" INT TERM; touch started; while true; do sleep 0.05; done');
    const child = start("/usr/bin/tini", "-g", "--", "/kelos_entrypoint.sh", "go");
    const done = finished(child);
    await until(() => existsSync(join(it.workspace, "started")));
    // The kubelet's signal goes to PID 1 of the pod, not to whoever made it.
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ");
    process.kill(Number(children[0]), "SIGTERM");
    expect((await done).stdout).toContain("heard");
  });

  test("capture, called as the interface's own pattern does", async () => {
    const { it, start, digest } = pod(result);
    const script = [
      "#!/bin/bash",
      "set -uo pipefail",
      'claude "$1" | tee /tmp/agent-output.jsonl',
      "AGENT_EXIT_CODE=${PIPESTATUS[0]}",
      "/kelos/kelos-capture",
      "exit $AGENT_EXIT_CODE",
    ];
    writeFileSync(join(it.workspace, "custom.sh"), script.join("\n"));
    chmodSync(join(it.workspace, "custom.sh"), 0o755);
    const { code, stdout } = await finished(start("/workspace/repo/custom.sh", "prompt"));
    expect(code).toBe(0);
    expect(parseOutputs(stdout)).toEqual([
      "base-branch: main",
      "input-tokens: 1",
      "output-tokens: 2",
      "response: aGk=",
    ]);
    expect(digest()?.outputs).toEqual(parseOutputs(stdout));
  });
});
