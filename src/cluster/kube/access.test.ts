import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { findAccess } from "./access.ts";

function kubeconfig(user: object, cluster: object = { server: "https://host:6443/" }): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "cert.pem"), "CERT");
  writeFileSync(join(folder, "token"), "from-file\n");
  const file = join(folder, "config");
  const config = {
    "current-context": "main",
    contexts: [
      { name: "main", context: { cluster: "c", user: "u", namespace: "agents" } },
      { name: "lost", context: { cluster: "none", user: "u" } },
    ],
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

describe("a kubeconfig", () => {
  test("with certificates, inline or beside it", async () => {
    const file = kubeconfig({
      "client-certificate": "cert.pem",
      "client-key-data": Buffer.from("KEY").toString("base64"),
    });
    const access = await findAccess({ env: {}, kubeconfig: file });
    expect(access).toMatchObject({ server: "https://host:6443", namespace: "agents" });
    expect([String(access.cert), String(access.key)]).toEqual(["CERT", "KEY"]);
    expect(await access.token()).toBeUndefined();
  });

  test("with a token, and with one in a file that changes", async () => {
    expect(await (await findAccess({ env: { KUBECONFIG: kubeconfig({ token: "abc" }) } })).token()).toBe("abc");
    const file = kubeconfig({ tokenFile: "token" });
    const access = await findAccess({ env: {}, kubeconfig: file });
    expect(await access.token()).toBe("from-file");
    writeFileSync(join(file, "../token"), "renewed");
    expect(await access.token()).toBe("renewed");
  });

  test("with a plugin, which is asked again only when its token runs out", async () => {
    const calls: string[] = [];
    const file = kubeconfig({
      exec: {
        apiVersion: "client.authentication.k8s.io/v1",
        command: "get-token",
        args: ["--now"],
        env: [{ name: "A", value: "b" }],
      },
    });
    const runPlugin = async (command: string, args: readonly string[], env: Record<string, string>) => {
      calls.push(`${command} ${args.join(" ")} ${env.A}`);
      const soon = calls.length === 1;
      const expirationTimestamp = new Date(Date.now() + (soon ? 1000 : 3_600_000)).toISOString();
      return JSON.stringify({ kind: "ExecCredential", status: { token: `t${calls.length}`, expirationTimestamp } });
    };
    const { token } = await findAccess({ env: {}, kubeconfig: file, runPlugin });
    expect([await token(), await token(), await token()]).toEqual(["t1", "t2", "t2"]);
    expect(calls).toEqual(["get-token --now b", "get-token --now b"]);
  });

  test.each([
    ["a context that isn't there", { context: "other" }, "there is no context other"],
    ["a context without its cluster", { context: "lost" }, "there is no cluster none"],
    ["a plugin that can't be run", {}, "needs a credential plugin"],
  ])("%s is said", async (_, more, message) => {
    const file = kubeconfig({ exec: { command: "x" } });
    await expect(findAccess({ env: {}, kubeconfig: file, ...more })).rejects.toThrow(message);
  });

  test("none at all is said, with what to do", async () => {
    await expect(findAccess({ env: { HOME: temporaryFolder() } })).rejects.toThrow(/no kubeconfig; set KUBECONFIG/);
    await expect(findAccess({ env: {}, kubeconfig: "/nowhere/config" })).rejects.toThrow(
      "/nowhere/config: no such file",
    );
  });
});
