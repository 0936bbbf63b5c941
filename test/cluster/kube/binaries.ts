import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** Where the programs of a cluster are: `KUBEBUILDER_ASSETS`, as envtest has it, or a folder in the cache, then the PATH. */
export function binary(name: string): string | undefined {
  const folders = [process.env.KUBEBUILDER_ASSETS ?? join(homedir(), ".cache/coxswain/kube")];
  folders.push(...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin");
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

export function requireBinary(name: string): string {
  const found = binary(name);
  if (found === undefined) throw new Error(`${name}: not found in KUBEBUILDER_ASSETS, ~/.cache/coxswain/kube or PATH`);
  return found;
}

const controlPlane = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "openssl"];
const node = ["kubelet", "containerd", "runc", "ctr", "ip", "busybox"];

/** What of a cluster can be started here, and what is missing for the rest. */
export function available(): { controlPlane: boolean; node: boolean; missing: string[] } {
  const missing = (names: readonly string[]) => names.filter((name) => binary(name) === undefined);
  const lacking = [...missing(controlPlane), ...missing(node)];
  const isRoot = process.getuid?.() === 0;
  return {
    controlPlane: missing(controlPlane).length === 0,
    node: lacking.length === 0 && isRoot,
    missing: isRoot ? lacking : [...lacking, "root"],
  };
}
