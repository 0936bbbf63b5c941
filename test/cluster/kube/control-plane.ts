import { mkdirSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { requireBinary } from "./binaries.ts";
import { Certificates } from "./certificates.ts";
import { Component, freePort } from "./component.ts";

/** etcd, a real API server, a real controller manager and scheduler, on loopback. */
export class ControlPlane {
  readonly folder: string;
  readonly certificates: Certificates;
  readonly kubeconfig: string;
  readonly server: string;
  readonly #port: number;
  readonly #etcdUrl: string;
  #etcd!: Component;
  #apiServer!: Component;
  #others: Component[] = [];

  private constructor(folder: string, port: number, etcdUrl: string) {
    this.folder = folder;
    this.#port = port;
    this.#etcdUrl = etcdUrl;
    this.server = `https://127.0.0.1:${port}`;
    mkdirSync(join(folder, "pki"), { recursive: true });
    this.certificates = new Certificates(join(folder, "pki"));
    this.kubeconfig = this.certificates.kubeconfig("admin", this.server, { user: "admin", group: "system:masters" });
  }

  /** Without controllers nothing but the API server works: Jobs stay what they are. */
  static async start(folder: string, parts: { controllers: boolean } = { controllers: true }): Promise<ControlPlane> {
    const [port, clientPort, peerPort] = [await freePort(), await freePort(), await freePort()];
    const etcdUrl = `http://127.0.0.1:${clientPort}`;
    const plane = new ControlPlane(folder, port, etcdUrl);
    plane.#etcd = new Component(
      "etcd",
      requireBinary("etcd"),
      [
        ...["--data-dir", join(folder, "etcd"), "--listen-client-urls", etcdUrl, "--advertise-client-urls", etcdUrl],
        ...[
          "--listen-peer-urls",
          `http://127.0.0.1:${peerPort}`,
          "--initial-advertise-peer-urls",
          `http://127.0.0.1:${peerPort}`,
        ],
        ...["--initial-cluster", `default=http://127.0.0.1:${peerPort}`, "--log-level", "warn"],
      ],
      join(folder, "etcd.log"),
    );
    await plane.startApiServer();
    if (parts.controllers) await plane.#startControllers();
    return plane;
  }

  async startApiServer(): Promise<void> {
    const { certificates, folder } = this;
    const serving = certificates.issue("apiserver", { user: "kube-apiserver" });
    const kubelet = certificates.issue("apiserver-kubelet", {
      user: "kube-apiserver-kubelet",
      group: "system:masters",
    });
    const accounts = certificates.path("service-accounts.key");
    this.#apiServer = new Component(
      "kube-apiserver",
      requireBinary("kube-apiserver"),
      [
        `--etcd-servers=${this.#etcdUrl}`,
        "--bind-address=127.0.0.1",
        `--secure-port=${this.#port}`,
        "--advertise-address=127.0.0.1",
        "--endpoint-reconciler-type=none",
        `--tls-cert-file=${serving.cert}`,
        `--tls-private-key-file=${serving.key}`,
        `--client-ca-file=${certificates.path("ca.crt")}`,
        "--service-account-issuer=https://kubernetes.default.svc",
        `--service-account-key-file=${accounts}`,
        `--service-account-signing-key-file=${accounts}`,
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--allow-privileged=true",
        "--service-cluster-ip-range=10.96.0.0/24",
        `--kubelet-client-certificate=${kubelet.cert}`,
        `--kubelet-client-key=${kubelet.key}`,
        "--kubelet-preferred-address-types=Hostname",
      ],
      join(folder, "apiserver.log"),
    );
    await this.#apiServer.until("readiness", () => this.#isReady());
  }

  /** As a crash does it. */
  async killApiServer(): Promise<void> {
    await this.#apiServer.stop("SIGKILL");
  }

  async #startControllers(): Promise<void> {
    const { certificates, folder, server } = this;
    const accounts = certificates.path("service-accounts.key");
    const manager = certificates.kubeconfig("controller-manager", server, { user: "system:kube-controller-manager" });
    const scheduler = certificates.kubeconfig("scheduler", server, { user: "system:kube-scheduler" });
    const [managerPort, schedulerPort] = [await freePort(), await freePort()];
    const loopback = (port: number) => ["--bind-address=127.0.0.1", `--secure-port=${port}`, "--leader-elect=false"];
    this.#others = [
      new Component(
        "kube-controller-manager",
        requireBinary("kube-controller-manager"),
        [
          ...[`--kubeconfig=${manager}`, ...loopback(managerPort)],
          `--service-account-private-key-file=${accounts}`,
          `--root-ca-file=${certificates.path("ca.crt")}`,
          "--use-service-account-credentials=true",
          "--controllers=*",
          "--kube-api-qps=200",
          "--kube-api-burst=400",
          "--concurrent-job-syncs=20",
          `--cert-dir=${join(folder, "controller-manager")}`,
        ],
        join(folder, "controller-manager.log"),
      ),
      new Component(
        "kube-scheduler",
        requireBinary("kube-scheduler"),
        [`--kubeconfig=${scheduler}`, ...loopback(schedulerPort), `--cert-dir=${join(folder, "scheduler")}`],
        join(folder, "scheduler.log"),
      ),
    ];
  }

  /** At once and without waiting, for whoever is ending itself. */
  kill(): void {
    for (const { pid } of [...this.#others, this.#apiServer, this.#etcd]) process.kill(pid, "SIGKILL");
  }

  async stop(): Promise<void> {
    for (const component of [...this.#others, this.#apiServer, this.#etcd]) await component.stop();
  }

  #isReady(): Promise<boolean> {
    return new Promise((resolve) => {
      const { cert, key } = this.certificates.issue("admin", { user: "admin", group: "system:masters" });
      const probe = request(
        `${this.server}/readyz`,
        { ...pem({ cert, key, ca: this.certificates.path("ca.crt") }), timeout: 2000 },
        (response) => {
          response.resume();
          resolve(response.statusCode === 200);
        },
      );
      probe.on("error", () => resolve(false));
      probe.on("timeout", () => probe.destroy());
      probe.end();
    });
  }
}

function pem(files: { cert: string; key: string; ca: string }) {
  return { cert: readFileSync(files.cert), key: readFileSync(files.key), ca: readFileSync(files.ca) };
}
