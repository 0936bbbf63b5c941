import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** Which executors can be tried on this machine; undefined where its tool is missing or doesn't work. */
export interface Tools {
  sandbox: boolean;
  container: Containers | undefined;
}

export interface Containers {
  engine: string;
  /** Has Node, git and a shell, and nothing of ours. */
  image: string;
  /** What the engine needs to work here. */
  env: Readonly<Record<string, string>>;
}

/** Says what is there and what isn't: a green run that tried nothing must not be taken for more. */
export function findTools(): Tools {
  const missing: string[] = [];
  const sandbox = canSandbox(missing);
  const container = findContainers(missing);
  const there = ["local", sandbox && "sandbox (bwrap)", container && `container (${container.engine})`].filter(Boolean);
  process.stderr.write(`executors tried: ${there.join(", ")}${missing.map((why) => `\nNOT TRIED: ${why}`).join("")}\n`);
  return { sandbox, container };
}

function canSandbox(missing: string[]): boolean {
  const tried = spawnSync("bwrap", [
    "--unshare-pid",
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--",
    "/bin/sh",
    "-c",
    ":",
  ]);
  if (tried.status === 0) return true;
  missing.push(`sandbox: ${tried.error?.message ?? tried.stderr.toString().trim()} (package bubblewrap)`);
  return false;
}

function findContainers(missing: string[]): Containers | undefined {
  const whyNot = ["container: no engine that works here (package podman, or docker)"];
  for (const engine of process.env.COX_TEST_ENGINE?.split(",") ?? ["podman", "docker"]) {
    for (const env of settings(engine)) {
      const image = makeImage(engine, env);
      const tried = image && run(engine, ["run", "--rm", image, "node", "-e", "0"], env);
      if (image && tried && tried.status === 0) return { engine, image, env };
      if (tried) whyNot.push(`container: ${engine}: ${tried.stderr.toString().trim().split("\n").at(-1)}`);
    }
  }
  missing.push(...whyNot);
  return undefined;
}

/** The files in a state folder that make it use this engine, and give the demo what its image doesn't have. */
export function writeContainerSettings(home: string, { engine }: Containers, fields: object = {}): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "config.yaml"), `container_engine: ${engine}\n`);
  writeFileSync(join(home, "agents.json"), JSON.stringify([{ id: "demo", name: "Demo", ...fields }]));
}

/** As it is, and with what podman needs in a machine that is itself fenced in. */
function settings(engine: string): Record<string, string>[] {
  const { XDG_DATA_HOME = join(homedir(), ".local/share"), XDG_RUNTIME_DIR, DOCKER_HOST } = process.env;
  const known = Object.entries({ XDG_DATA_HOME, XDG_RUNTIME_DIR, DOCKER_HOST });
  const own = Object.fromEntries(known.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  if (engine === "docker") return [own];
  const conf = join(tmpdir(), `cox-test-containers-${process.getuid?.()}.conf`);
  const ulimits = '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\nnetns = "host"\n';
  writeFileSync(conf, `${ulimits}[engine]\nruntime = "runc"\n`);
  return [own, { ...own, CONTAINERS_CONF: conf }];
}

const PROGRAMS = [
  ...["/bin/sh", "/usr/bin/env", "/usr/bin/git"],
  ...["ls", "cat", "touch", "sleep", "id", "cp", "mkdir", "mv", "rm"].map((name) => `/bin/${name}`),
];

/** Of this machine's own Node and a few programs with their libraries: no registry is asked. */
function makeImage(engine: string, env: Record<string, string>): string | undefined {
  const image = `localhost/coxswain-test:${process.versions.node}-3`;
  const there = run(engine, ["image", "inspect", image], env);
  if (there.error) return undefined;
  if (there.status === 0) return image;
  const files = [process.execPath, ...PROGRAMS].flatMap((file) => [file, ...librariesOf(file)]);
  const node = realpathSync(process.execPath);
  const tar = spawnSync(
    "tar",
    ["-ch", "-C", "/", `--transform=s,^${process.execPath.slice(1)}$,usr/bin/node,`, ...relative(files, node)],
    { maxBuffer: 1024 ** 3 },
  );
  const made = run(engine, ["import", "-", image], env, tar.stdout);
  return made.status === 0 ? image : undefined;
}

const relative = (files: readonly string[], node: string) =>
  [...new Set(files.map((file) => (file === node ? process.execPath : file)))].map((file) => file.slice(1));

const librariesOf = (file: string) =>
  [
    ...spawnSync("ldd", [file])
      .stdout.toString()
      .matchAll(/(\/\S+) \(0x/g),
  ].map((match) => match[1] ?? "");

const run = (engine: string, args: readonly string[], env: Record<string, string>, input?: Buffer) =>
  spawnSync(engine, args, { env: { ...process.env, ...env }, input, timeout: 120_000 });
