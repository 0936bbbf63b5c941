import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireBinary } from "./binaries.ts";
import { Component, freePort } from "./component.ts";
import type { ControlPlane } from "./control-plane.ts";
import { type ImageFiles, loadImage } from "./image.ts";

/** A real kubelet with containerd and runc on this machine, with a bridge, control groups and folders of its own. */
export class WorkerNode {
  readonly #plane: ControlPlane;
  readonly #folder: string;
  readonly #number: number;
  #components: Component[] = [];

  private constructor(plane: ControlPlane, number: number) {
    this.#plane = plane;
    this.#folder = join(plane.folder, "node");
    this.#number = number;
  }

  static async start(plane: ControlPlane): Promise<WorkerNode> {
    const taken = readdirSync("/sys/class/net");
    const number = Array.from({ length: 200 }, (_, i) => (process.pid + i) % 200).find(
      (n) => !taken.includes(`coxk${n}`),
    );
    if (number === undefined) throw new Error("no free network for the test node");
    const node = new WorkerNode(plane, number);
    mkdirSync(node.#folder, { recursive: true });
    node.#makeBridge();
    node.#makeCgroups();
    await node.#startContainerd();
    node.load({ name: PAUSE, command: ["/bin/busybox", "sleep", "2147483647"] });
    await node.#startKubelet();
    return node;
  }

  /** Where pods reach programs of this machine. */
  get gateway(): string {
    return `10.247.${this.#number}.1`;
  }

  load(image: ImageFiles): void {
    loadImage(this.#socket, image);
  }

  async stop(): Promise<void> {
    const [containerd, kubelet] = this.#components;
    await kubelet?.stop();
    this.#endContainers();
    await containerd?.stop("SIGTERM");
    this.#unmount();
    execFileSync("ip", ["link", "delete", this.#bridge]);
    for (const controller of this.#controllers()) removeTree(join(controller, `coxk${this.#number}`));
  }

  get #bridge(): string {
    return `coxk${this.#number}`;
  }

  get #socket(): string {
    return join(this.#folder, "c.sock");
  }

  #makeBridge(): void {
    execFileSync("ip", ["link", "add", this.#bridge, "type", "bridge"]);
    execFileSync("ip", ["addr", "add", `${this.gateway}/24`, "dev", this.#bridge]);
    execFileSync("ip", ["link", "set", this.#bridge, "up"]);
    const network = {
      cniVersion: "0.4.0",
      name: "cox-test",
      plugins: [
        {
          type: "bridge",
          bridge: this.#bridge,
          isGateway: true,
          ipMasq: false,
          ipam: {
            type: "host-local",
            ranges: [[{ subnet: `10.247.${this.#number}.0/24` }]],
            dataDir: join(this.#folder, "ipam"),
          },
        },
        { type: "loopback" },
      ],
    };
    mkdirSync(join(this.#folder, "cni"), { recursive: true });
    writeFileSync(join(this.#folder, "cni/10-cox.conflist"), JSON.stringify(network));
  }

  /** A second kubelet on the machine would take our pods for its own leftovers if both used the same root. */
  #makeCgroups(): void {
    for (const controller of this.#controllers()) {
      mkdirSync(join(controller, `coxk${this.#number}`), { recursive: true });
      if (!controller.endsWith("cpuset")) continue;
      for (const file of ["cpuset.cpus", "cpuset.mems"]) {
        writeFileSync(join(controller, `coxk${this.#number}`, file), readFileSync(join(controller, file)));
      }
    }
  }

  #controllers(): string[] {
    const root = "/sys/fs/cgroup";
    if (existsSync(join(root, "cgroup.controllers"))) return [root];
    return readdirSync(root)
      .map((name) => join(root, name))
      .filter((path) => existsSync(join(path, "cgroup.procs")));
  }

  async #startContainerd(): Promise<void> {
    const path = (name: string) => JSON.stringify(join(this.#folder, name));
    const config = `version = 2
root = ${path("containerd")}
state = ${path("run")}
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.internal.v1.opt", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
address = ${path("c.sock")}
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${PAUSE}"
restrict_oom_score_adj = true
disable_apparmor = true
stream_server_address = "127.0.0.1"
stream_server_port = "0"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = ${path("cni")}
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "overlayfs"
default_runtime_name = "runc"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
`;
    const file = join(this.#folder, "containerd.toml");
    writeFileSync(file, config);
    const containerd = new Component(
      "containerd",
      requireBinary("containerd"),
      ["-c", file],
      join(this.#plane.folder, "containerd.log"),
    );
    this.#components.push(containerd);
    await containerd.until("socket", async () => {
      execFileSync(requireBinary("ctr"), ["-a", this.#socket, "version"], { stdio: "ignore" });
      return true;
    });
  }

  async #startKubelet(): Promise<void> {
    const { certificates, server, folder } = this.#plane;
    const kubeconfig = certificates.kubeconfig("kubelet", server, {
      user: "system:node:127.0.0.1",
      group: "system:nodes",
    });
    const config = {
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      address: "127.0.0.1",
      port: await freePort(),
      healthzPort: 0,
      cgroupDriver: "cgroupfs",
      cgroupRoot: `/coxk${this.#number}`,
      failSwapOn: false,
      failCgroupV1: false,
      oomScoreAdj: 0,
      makeIPTablesUtilChains: false,
      evictionHard: { "nodefs.available": "0%", "imagefs.available": "0%", "memory.available": "0%" },
      imageGCHighThresholdPercent: 100,
      containerRuntimeEndpoint: `unix://${this.#socket}`,
      resolvConf: "",
      podLogsDir: join(this.#folder, "logs"),
      authentication: {
        anonymous: { enabled: false },
        webhook: { enabled: true },
        x509: { clientCAFile: certificates.path("ca.crt") },
      },
      authorization: { mode: "Webhook" },
      registerNode: true,
      syncFrequency: "5s",
      nodeStatusUpdateFrequency: "5s",
    };
    const file = join(this.#folder, "kubelet.json");
    writeFileSync(file, JSON.stringify(config));
    const kubelet = new Component(
      "kubelet",
      requireBinary("kubelet"),
      [
        `--kubeconfig=${kubeconfig}`,
        `--config=${file}`,
        "--hostname-override=127.0.0.1",
        `--root-dir=${join(this.#folder, "kubelet")}`,
        `--cert-dir=${join(this.#folder, "kubelet-pki")}`,
      ],
      join(folder, "kubelet.log"),
      { PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    );
    this.#components.push(kubelet);
    await kubelet.until("Ready", async () => this.#isReady());
  }

  #isReady(): boolean {
    const args = [
      "--kubeconfig",
      this.#plane.kubeconfig,
      "get",
      "node",
      "127.0.0.1",
      "-o",
      'jsonpath={.status.conditions[?(@.type=="Ready")].status}',
    ];
    return (
      execFileSync(requireBinary("kubectl"), args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }) === "True"
    );
  }

  /** Whatever still runs in a pod of ours goes with the node. */
  #endContainers(): void {
    const ctr = (...args: string[]) =>
      execFileSync(requireBinary("ctr"), ["-a", this.#socket, "-n", "k8s.io", ...args], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    for (const task of ctr("tasks", "list", "-q").split("\n").filter(Boolean)) {
      try {
        ctr("tasks", "delete", "--force", task);
      } catch {
        // It ended by itself meanwhile.
      }
    }
  }

  #unmount(): void {
    const mounts = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" ")[1] ?? "");
    for (const mount of mounts.filter((path) => path.startsWith(this.#folder)).toReversed()) {
      try {
        execFileSync("umount", ["-l", mount], { stdio: "ignore" });
      } catch {
        // A mount below one that is gone already.
      }
    }
  }
}

const PAUSE = "cox.test/pause:1";

function removeTree(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  try {
    rmdirSync(folder);
  } catch {
    // A process in it is still ending; an empty control group costs nothing.
  }
}
