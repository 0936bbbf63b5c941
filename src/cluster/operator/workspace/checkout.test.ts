import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { WorkspaceSpec } from "../../../contract/resources/workspace.ts";
import { CHECKOUT_SCRIPT, checkoutVariables, type WorkspaceSecret } from "./checkout.ts";

const SSHD = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].find((path) => existsSync(path));

/** The script as it is, with the folders of a pod moved into one of the test's; file:// is let through for want of a server. */
function checkout(
  folder: string,
  workspace: Partial<WorkspaceSpec> & { repo: string },
  branch?: string,
  files: Record<string, string> = {},
  secret?: WorkspaceSecret,
) {
  const repo = join(folder, "checkout");
  const source = join(folder, "files");
  mkdirSync(source, { recursive: true });
  for (const [key, content] of Object.entries(files)) writeFileSync(join(source, key), content);
  const script = CHECKOUT_SCRIPT.replaceAll("/workspace/repo", repo)
    .replaceAll("/kelos/files", source)
    .replaceAll("/tmp/home", join(folder, "home"))
    .replaceAll("protocol.file.allow=never", "protocol.file.allow=always")
    .replaceAll("GIT_ALLOW_PROTOCOL=https:http:git:ssh", "GIT_ALLOW_PROTOCOL=https:http:git:ssh:file");
  const entries = checkoutVariables({ depth: 1, ...workspace }, branch, secret).map(({ name, value }) => [
    name,
    (value ?? "").replaceAll("$$(", "$(").replaceAll("/kelos/ssh", join(folder, "ssh")),
  ]);
  const result = spawnSync("sh", ["-c", script], {
    env: { PATH: process.env.PATH, ...Object.fromEntries(entries) },
    encoding: "utf8",
  });
  const git = (...args: string[]) => execFileSync("git", ["-C", repo, ...args], { encoding: "utf8" }).trim();
  return { ...result, repo, git };
}

describe("the checkout script on real repositories", () => {
  let remote: string;
  let first: string;
  const root = temporaryFolder();

  beforeAll(() => {
    remote = join(root, "remote.git");
    const work = join(root, "work");
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", work, "-c", "user.name=t", "-c", "user.email=t@t", ...args], {
        encoding: "utf8",
      }).trim();
    execFileSync("git", ["init", "-q", "-b", "main", work]);
    writeFileSync(join(work, "README"), "one\n");
    symlinkSync("/tmp", join(work, "link"));
    git("add", ".");
    git("commit", "-qm", "one");
    first = git("rev-parse", "HEAD");
    git("tag", "v1");
    git("checkout", "-qb", "feature");
    writeFileSync(join(work, "README"), "feature\n");
    git("commit", "-qam", "feature");
    git("checkout", "-q", "main");
    writeFileSync(join(work, "README"), "two\n");
    git("commit", "-qam", "two");
    execFileSync("git", ["clone", "-q", "--bare", work, remote]);
    execFileSync("git", ["-C", remote, "config", "uploadpack.allowAnySHA1InWant", "true"]);
  });

  const url = () => `file://${remote}`;

  test.each([
    ["no ref", undefined, "two\n", "main"],
    ["a branch", "feature", "feature\n", "feature"],
    ["a tag", "v1", "one\n", "HEAD"],
  ])("%s", (_, ref, content, head) => {
    const { status, stderr, repo, git } = checkout(temporaryFolder(), { repo: url(), ...(ref ? { ref } : {}) });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(readFileSync(join(repo, "README"), "utf8")).toBe(content);
    expect(git("rev-parse", "--abbrev-ref", "HEAD")).toBe(head);
    expect(git("rev-list", "--count", "HEAD")).toBe("1");
  });

  test("a full commit, alone", () => {
    const { status, git } = checkout(temporaryFolder(), { repo: url(), ref: first });
    expect(status).toBe(0);
    expect(git("rev-parse", "HEAD")).toBe(first);
  });

  test("all of the history, when asked for", () => {
    expect(checkout(temporaryFolder(), { repo: url(), depth: 0 }).git("rev-list", "--count", "HEAD")).toBe("2");
  });

  test("a branch that the remote has, and one that it hasn't", () => {
    const existing = checkout(temporaryFolder(), { repo: url() }, "feature");
    expect(existing.status).toBe(0);
    expect(readFileSync(join(existing.repo, "README"), "utf8")).toBe("feature\n");
    const fresh = checkout(temporaryFolder(), { repo: url() }, "new/branch");
    expect(fresh.git("rev-parse", "--abbrev-ref", "HEAD")).toBe("new/branch");
    expect(readFileSync(join(fresh.repo, "README"), "utf8")).toBe("two\n");
  });

  test("a ref or remote that isn't there fails with git's own words", () => {
    expect(checkout(temporaryFolder(), { repo: url(), ref: "nowhere" })).toMatchObject({
      status: 128,
      stderr: expect.stringContaining("nowhere"),
    });
    expect(checkout(temporaryFolder(), { repo: `${url()}-gone` }).status).toBe(128);
  });

  test("remotes and branches with shell in their names are only names", () => {
    const folder = temporaryFolder();
    const canary = join(folder, "canary");
    const remotes = [{ name: "up", url: `https://x/$(touch ${canary});\`touch ${canary}\`/a` }];
    const { status, git } = checkout(folder, { repo: url(), remotes }, "x$(touch)y");
    expect(status).toBe(0);
    expect(git("remote", "get-url", "up")).toBe(remotes[0]?.url);
    expect(existsSync(canary)).toBe(false);
  });

  test("files are written, and never through a link out of the repository", () => {
    const folder = temporaryFolder();
    const plain = checkout(folder, { repo: url(), files: [{ path: "a dir/b.txt", content: "" }] }, undefined, {
      "file-0": "hello",
    });
    expect(plain.stderr).toBe("");
    expect(readFileSync(join(plain.repo, "a dir/b.txt"), "utf8")).toBe("hello");
    const name = `cox-escape-${process.pid}`;
    const through = checkout(
      temporaryFolder(),
      { repo: url(), files: [{ path: `link/${name}`, content: "" }] },
      undefined,
      { "file-0": "bad" },
    );
    expect(through.status).toBe(1);
    expect(through.stderr).toContain("leads out of the repository");
    expect(existsSync(join("/tmp", name))).toBe(false);
  });

  test("nothing of the repository runs", () => {
    const folder = temporaryFolder();
    const work = join(folder, "evil");
    const canary = join(folder, "canary");
    execFileSync("git", ["init", "-q", "-b", "main", work]);
    writeFileSync(join(work, ".gitattributes"), "* filter=evil\n");
    writeFileSync(
      join(work, ".gitmodules"),
      `[submodule "a"]\n\tpath = a\n\turl = ext::sh -c touch% ${canary}\n\tupdate = !touch ${canary}\n`,
    );
    execFileSync("git", ["-C", work, "update-index", "--add", "--cacheinfo", `160000,${first},a`]);
    execFileSync("git", ["-C", work, "add", ".gitattributes", ".gitmodules"]);
    execFileSync("git", ["-C", work, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "evil"]);
    const { status } = checkout(folder, { repo: `file://${work}`, submodules: true });
    expect(status).not.toBe(0);
    expect(existsSync(canary)).toBe(false);
  });

  test("a checkout that is there already is made anew", () => {
    const folder = temporaryFolder();
    checkout(folder, { repo: url() });
    writeFileSync(join(folder, "checkout", "left-over"), "");
    expect(checkout(folder, { repo: url() }).status).toBe(0);
    expect(existsSync(join(folder, "checkout", "left-over"))).toBe(false);
    rmSync(folder, { recursive: true });
  });

  test.skipIf(SSHD === undefined)("over SSH: with its key, from a host that is known, and from no other", async () => {
    const folder = temporaryFolder();
    const server = await startSshServer(folder);
    try {
      const workspace = { repo: `ssh://${userInfo().username}@127.0.0.1:${server.port}${remote}` };
      const known = checkout(folder, workspace, "feature", {}, "ssh");
      expect(known.stderr).toBe("");
      expect(readFileSync(join(known.repo, "README"), "utf8")).toBe("feature\n");
      writeFileSync(join(folder, "ssh/known_hosts"), "");
      const stranger = checkout(folder, workspace, undefined, {}, "ssh");
      expect(stranger).toMatchObject({ status: 128, stderr: expect.stringContaining("Host key verification failed") });
    } finally {
      await server.close();
    }
  });
});

test("a token is a file, offered to its own host alone", () => {
  const values = Object.fromEntries(
    checkoutVariables({ repo: "https://github.com/a/b", depth: 1, secretRef: { name: "s" } }, undefined, "token").map(
      ({ name, value }) => [name, value],
    ),
  );
  expect(values).toMatchObject({
    COX_CREDENTIAL_KEY: "credential.https://github.com.helper",
    COX_CREDENTIAL_USER: "x-access-token",
    COX_HAS_TOKEN: "1",
  });
  expect(values.COX_CREDENTIAL_HELPER).toContain("cat /kelos/github-token/GITHUB_TOKEN");
});

/** Of the machine's own sshd, on a port and with keys of the test's. The key and the known host are put where a pod has them. */
async function startSshServer(folder: string): Promise<{ port: number; close(): Promise<void> }> {
  const secret = join(folder, "ssh");
  mkdirSync(secret);
  const hostKey = join(folder, "host_key");
  for (const path of [hostKey, join(secret, "ssh-privatekey")]) {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
  }
  const port = await freePort();
  const settings = {
    ListenAddress: `127.0.0.1:${port}`,
    HostKey: hostKey,
    AuthorizedKeysFile: join(secret, "ssh-privatekey.pub"),
    PidFile: "none",
    StrictModes: "no",
    UsePAM: "no",
  };
  writeFileSync(
    join(folder, "sshd_config"),
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(""),
  );
  const [type, key] = readFileSync(`${hostKey}.pub`, "utf8").split(" ");
  writeFileSync(join(secret, "known_hosts"), `[127.0.0.1]:${port} ${type} ${key}\n`);
  // Debian's wants it as root; a service would have made it.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true });
  const child = spawn(SSHD ?? "", ["-D", "-e", "-f", join(folder, "sshd_config")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk) => {
      said += String(chunk);
      if (said.includes("listening on")) resolve();
    });
    child.on("exit", () => reject(new Error(`sshd ended: ${said}`)));
  });
  const close = async () => {
    const ended = once(child, "exit");
    child.kill();
    await ended;
  };
  return { port, close };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
