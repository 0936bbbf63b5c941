import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A certificate authority of a cluster's own, made with openssl. */
export class Certificates {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", this.path("ca.key"));
    this.#openssl(
      "req",
      "-x509",
      "-new",
      "-key",
      this.path("ca.key"),
      "-subj",
      "/CN=cox-test-ca",
      "-days",
      "30",
      "-out",
      this.path("ca.crt"),
    );
    this.#openssl("genrsa", "-out", this.path("service-accounts.key"), "2048");
  }

  path(file: string): string {
    return join(this.#folder, file);
  }

  /** `<name>.crt` and `<name>.key`; the organisation is what Kubernetes takes for a group. */
  issue(name: string, subject: { user: string; group?: string }): { cert: string; key: string } {
    const [cert, key, request] = [`${name}.crt`, `${name}.key`, `${name}.csr`].map((file) => this.path(file)) as [
      string,
      string,
      string,
    ];
    if (existsSync(cert)) return { cert, key };
    const group = subject.group === undefined ? "" : `/O=${subject.group}`;
    this.#openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key);
    this.#openssl("req", "-new", "-key", key, "-subj", `${group}/CN=${subject.user}`, "-out", request);
    const extensions = this.path(`${name}.ext`);
    writeFileSync(
      extensions,
      "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes.default.svc\nextendedKeyUsage=serverAuth,clientAuth\n",
    );
    this.#openssl(
      ...["x509", "-req", "-in", request, "-CA", this.path("ca.crt"), "-CAkey", this.path("ca.key")],
      ...["-set_serial", String(Date.now()), "-days", "30", "-extfile", extensions, "-out", cert],
    );
    return { cert, key };
  }

  /** A kubeconfig with everything inside, so that one file is all a program needs. */
  kubeconfig(name: string, server: string, subject: { user: string; group?: string }): string {
    const { cert, key } = this.issue(name, subject);
    const inline = (file: string) => readFileSync(file).toString("base64");
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "test", cluster: { server, "certificate-authority-data": inline(this.path("ca.crt")) } }],
      users: [{ name, user: { "client-certificate-data": inline(cert), "client-key-data": inline(key) } }],
      contexts: [{ name: "test", context: { cluster: "test", user: name } }],
      "current-context": "test",
    };
    const file = this.path(`${name}.kubeconfig`);
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    return file;
  }

  #openssl(...args: string[]): void {
    execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });
  }
}
