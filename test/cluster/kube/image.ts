import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { requireBinary } from "./binaries.ts";

/** Files of an image by path; `copy` takes a program of this machine with the libraries it needs. */
export interface ImageFiles {
  name: string;
  files?: Record<string, string>;
  copy?: readonly string[];
  command?: readonly string[];
  user?: string;
}

/** There is no registry in a test: a docker archive from a handful of files, with busybox for a shell. */
function dockerArchive({ name, files = {}, copy = [], command = [], user = "0" }: ImageFiles): string {
  const folder = mkdtempSync(join(tmpdir(), "cox-image-"));
  const root = join(folder, "root");
  for (const place of ["bin", "tmp", "etc", "usr", "home/agent", "workspace", "kelos", "dev", "proc", "sys"]) {
    mkdirSync(join(root, place), { recursive: true });
  }
  cpSync(requireBinary("busybox"), join(root, "bin/busybox"));
  for (const applet of APPLETS.split(" ")) {
    symlinkSync("/bin/busybox", join(root, "bin", applet));
  }
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/:/bin/sh\nagent:x:61100:61100::/home/agent:/bin/sh\n");
  writeFileSync(join(root, "etc/group"), "root:x:0:\nagent:x:61100:\n");
  for (const path of copy) copyWithLibraries(path, root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o755 });
  }
  execFileSync("chmod", ["1777", join(root, "tmp"), join(root, "workspace"), join(root, "home/agent")]);
  return pack(folder, root, name, command, user);
}

const APPLETS =
  "sh cat sleep echo id ls true false head mkdir cp chmod tee kill env printenv dd tr test rm find mv yes grep sed base64 ps mount dirname basename sync touch seq";

/** Into the containerd that listens there. */
export function loadImage(socket: string, image: ImageFiles): void {
  const archive = dockerArchive(image);
  execFileSync(requireBinary("ctr"), ["-a", socket, "-n", "k8s.io", "images", "import", archive], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  discard(archive);
}

const discard = (archive: string) => rmSync(dirname(archive), { recursive: true, force: true });

function pack(folder: string, root: string, name: string, command: readonly string[], user: string): string {
  const layer = join(folder, "layer.tar");
  execFileSync("tar", ["-C", root, "--owner=0", "--group=0", "--numeric-owner", "-cf", layer, "."]);
  const config = JSON.stringify({
    architecture: "amd64",
    os: "linux",
    config: { Entrypoint: command, User: user, Env: ["PATH=/usr/bin:/bin"], WorkingDir: "/" },
    rootfs: {
      type: "layers",
      diff_ids: [`sha256:${execFileSync("sha256sum", [layer], { encoding: "utf8" }).slice(0, 64)}`],
    },
  });
  writeFileSync(join(folder, "config.json"), config);
  writeFileSync(
    join(folder, "manifest.json"),
    JSON.stringify([{ Config: "config.json", RepoTags: [name], Layers: ["layer.tar"] }]),
  );
  const archive = join(folder, "image.tar");
  execFileSync("tar", ["-C", folder, "-cf", archive, "manifest.json", "config.json", "layer.tar"]);
  return archive;
}

function copyWithLibraries(path: string, root: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  cpSync(path, join(root, path), { recursive: true, dereference: false });
  const libraries = execFileSync("sh", ["-c", 'ldd "$1" 2>/dev/null || true', "sh", path], { encoding: "utf8" });
  for (const [, library] of libraries.matchAll(/(\/\S+)\s+\(0x/g)) {
    if (library === undefined || existsSync(join(root, library))) continue;
    mkdirSync(dirname(join(root, library)), { recursive: true });
    cpSync(realpathSync(library), join(root, library));
  }
}
