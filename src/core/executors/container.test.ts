import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type ContainerOptions, containerArguments, containerExecutor } from "./container.ts";
import { type Engine, findEngine, removeLeftovers, requireImage } from "./engine.ts";
import { asItIs } from "./mount.ts";

const engine: Engine = { name: "podman", file: "/usr/bin/podman", env: {}, rootless: false, init: true };
const options: ContainerOptions = {
  engine,
  image: "me/agent:1",
  entrypoint: [],
  path: "/bin",
  memoryMb: 512,
  cpuCores: 1.5,
  label: "abc",
  package: "/opt/cox",
  workspace: "/w",
  git: () => Promise.resolve([]),
  home: "/home/coxswain",
  mounts: [],
  secret: [],
  network: true,
};
const command: Parameters<typeof containerArguments>[1] = {
  name: "cox-r1",
  run: "r1",
  cwd: "/w",
  mounts: [asItIs("/w", true), { source: "/h", target: "/home/coxswain", write: false }],
  emptied: [],
  entrypoint: [],
  env: { TOKEN: "s3cret", HOME: "/home/coxswain" },
  command: ["agent", "--acp"],
};
const line = (change: Partial<ContainerOptions> = {}, other: Partial<typeof command> = {}) =>
  containerArguments({ ...options, ...change }, { ...command, ...other }).join(" ");

describe("the engine's command", () => {
  test("names the container, its run and its limits; values of variables are not in it", () => {
    const user = `${process.getuid?.()}:${process.getgid?.()}`;
    expect(line()).toBe(
      [
        "run --rm -i --name cox-r1 --label coxswain.run=r1 --label coxswain.home=abc --init",
        `--user ${user} --memory 512m --cpus 1.5 --security-opt label=disable --security-opt no-new-privileges`,
        "--mount type=bind,source=/w,target=/w --mount type=bind,source=/h,target=/home/coxswain,readonly",
        "--env TOKEN --env HOME=/home/coxswain --workdir /w me/agent:1 agent --acp",
      ].join(" "),
    );
  });

  test("leaves files to whoever started it, whoever the engine's root is", () => {
    const user = `${process.getuid?.()}:${process.getgid?.()}`;
    expect(line({ engine: { ...engine, rootless: true } })).toContain(`--userns keep-id --user ${user} `);
    expect(line({ engine: { ...engine, name: "docker", rootless: true } })).toContain("--user 0:0 ");
  });

  test("takes the network away, empties what is secret, and starts by its own entrypoint", () => {
    expect(line({ network: false })).toContain(" --network none ");
    expect(line({}, { emptied: ["/w/state"] })).toContain(" --tmpfs /w/state ");
    expect(line({}, { entrypoint: ["/init", "-v"] })).toMatch(/--entrypoint \/init me\/agent:1 -v agent --acp$/);
    expect(line({ engine: { ...engine, init: false } })).not.toContain("--init");
  });
});

/** An engine that writes down what it is asked, and answers by a shell script. */
function fakeEngine(script: string): { folder: string; env: NodeJS.ProcessEnv; asked(): string[] } {
  const folder = temporaryFolder();
  const file = join(folder, "docker");
  writeFileSync(file, `#!/bin/sh\necho "$@" >> ${folder}/asked\n${script}\n`);
  chmodSync(file, 0o755);
  const asked = () =>
    existsSync(join(folder, "asked")) ? readFileSync(join(folder, "asked"), "utf8").trim().split("\n") : [];
  return { folder, env: { PATH: `${folder}:/usr/bin:/bin` }, asked };
}

describe("an engine", () => {
  const only = (name: "docker" | "podman", folder: string) => findEngine(name, { PATH: folder });

  test("that is missing is named by its package", async () => {
    await expect(findEngine(undefined, { PATH: temporaryFolder() })).rejects.toMatchObject({
      code: "agent.not_ready",
      message: expect.stringMatching(/podman and docker: not installed; install the package podman/),
    });
  });

  test("whose daemon doesn't answer says so", async () => {
    const { env } = fakeEngine("echo no daemon here >&2; exit 1");
    await expect(findEngine("docker", env)).rejects.toMatchObject({
      code: "agent.not_ready",
      message: "container: docker doesn't answer: no daemon here; start its daemon, or install podman",
    });
  });

  test("tells whether its root is ours", async () => {
    const rootless = fakeEngine(`echo '["name=seccomp","name=rootless"]'`);
    expect(await only("docker", rootless.env.PATH ?? "")).toMatchObject({ name: "docker", rootless: true });
  });

  test("fetches an image that it doesn't have, and knows the PATH in it", async () => {
    const script = `case "$1" in
      info) echo '[]';;
      image) [ -e "$(dirname "$0")/here" ] && echo '["A=b","PATH=/opt/bin:/bin"]' || exit 1;;
      pull) touch "$(dirname "$0")/here";;
    esac`;
    const { env, asked } = fakeEngine(script);
    const docker = await findEngine("docker", env);
    const said: string[] = [];
    expect(await requireImage(docker, "me/agent:1", (text) => said.push(text))).toBe("/opt/bin:/bin");
    expect(said).toEqual(["fetching me/agent:1 with docker"]);
    expect(asked().filter((words) => words.startsWith("pull"))).toEqual(["pull --quiet me/agent:1"]);
  });

  /** Its containers go when it removes them, but only when it is asked for the second time. */
  const LAZY = `here=$(dirname "$0"); case "$1" in
    info) echo '[]';;
    ps) printf 'cox-r1\\nother\\n'; [ -e $here/gone ] || echo cox-r2.2;;
    rm) [ -e $here/rm ] && touch $here/gone; touch $here/rm; exit 1;;
  esac`;

  test("removes what nobody owns until it is gone, and leaves the rest alone", async () => {
    const { env, asked } = fakeEngine(LAZY);
    const docker = await findEngine("docker", env);
    const said: string[] = [];
    // A run that claimed its name while the engine made its list is live.
    const live = () => new Set(asked().some((words) => words.startsWith("ps")) ? ["r1"] : []);
    await removeLeftovers(docker, "abc", live, (text) => said.push(text));
    const removing = ["ps -a --format {{.Names}}", "kill cox-r2.2", "rm -f cox-r2.2"];
    expect(asked().slice(1)).toEqual([
      "ps -a --filter label=coxswain.home=abc --format {{.Names}}",
      ...removing,
      ...removing,
      "ps -a --format {{.Names}}",
    ]);
    expect(said).toEqual([]);
  });

  test("that doesn't remove, or doesn't even list, is said", async () => {
    const stubborn = fakeEngine(`case "$1" in info) echo '[]';; ps) echo cox-r2;; esac`);
    const mute = fakeEngine(`case "$1" in info) echo '[]';; *) exit 1;; esac`);
    const said: string[] = [];
    for (const { env } of [stubborn, mute]) {
      await removeLeftovers(
        await findEngine("docker", env),
        "abc",
        () => new Set(),
        (text) => said.push(text),
      );
    }
    expect(said).toEqual([
      "docker can't remove what earlier runs left: cox-r2; look with docker ps -a",
      "docker can't list its containers: what earlier runs left stays there",
    ]);
  });
});

test("a conversation goes through the engine's program; stopped, the container is removed", async () => {
  // Behaves as an engine does: `run` is the agent, until somebody stops the container.
  const script = `case "$1" in
    info) echo '[]';;
    run) echo "token $TOKEN"; echo $$ > "$(dirname "$0")/pid"; exec cat;;
    stop) kill "$(cat "$(dirname "$0")/pid")";;
  esac`;
  const { folder, env, asked } = fakeEngine(script);
  const executor = containerExecutor({ ...options, engine: await findEngine("docker", env), workspace: folder });
  const stdoutPath = join(temporaryFolder(), "agent-stdout.txt");
  const agent = await executor.start({
    file: "agent",
    args: ["--acp"],
    cwd: folder,
    env: { TOKEN: "s3cret" },
    stdoutPath,
    stderrPath: `${stdoutPath}.err`,
    marker: { name: "COX_TEST_CONTAINER", value: "r1" },
  });
  expect(readFileSync(join(dirname(stdoutPath), "cox-r1.container.json"), "utf8")).toContain('"name":"cox-r1"');
  await agent.write("hello\n");
  let text = "";
  for await (const chunk of agent.output) {
    text += Buffer.from(chunk).toString();
    if (text.includes("hello")) break;
  }
  expect(text).toBe("token s3cret\nhello\n");
  expect(await agent.stop(2000)).toMatchObject({ code: 143, signal: "SIGTERM" });
  expect(asked().map((words) => words.split(" ")[0])).toEqual(["info", "run", "stop", "ps"]);
  expect(existsSync(join(dirname(stdoutPath), "cox-r1.container.json"))).toBe(false);
});
