import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { testContext } from "../../../faces/cli/testing/test-context.ts";
import { systemClock } from "../../../lib/base/clock.ts";
import { runCommand } from "../../../lib/command/command.ts";
import agent from "../agent.ts";
import { containerArguments } from "./start-docker.ts";

const start = {
  engine: { name: "docker", rootless: false } as const,
  image: "registry/agent:1.0.0",
  workspace: "/home/ann/web",
  name: "cox-agent-web-1",
  ports: { terminal: 1234, status: 1235 },
  values: { command: "claude --x 'a b'", nudge: "" },
  env: { BOAT_ROLE: "crew", ANTHROPIC_API_KEY: "secret", AWS_SECRET: "other", PATH: "/bin" },
};

describe("the container", () => {
  const args = containerArguments(start);

  test("runs the pod's command on the workspace, reachable from this machine alone", () => {
    expect(args).toEqual(expect.arrayContaining(["--publish", "127.0.0.1:1234:8080"]));
    expect(args).toContain("type=bind,source=/home/ann/web,target=/home/agent/workspace");
    const at = args.indexOf("registry/agent:1.0.0");
    expect(args.slice(at + 1)).toEqual(["cox", "agent", "start", "--k8s", "--command=claude --x 'a b'", "--nudge="]);
  });

  test("gets what a pod would get, by name: no secret is in its arguments", () => {
    expect(args).toEqual(expect.arrayContaining(["--env", "BOAT_ROLE", "--env", "ANTHROPIC_API_KEY"]));
    expect(args.join(" ")).not.toMatch(/secret|AWS/);
  });

  test("leaves files that belong to whoever started it", () => {
    expect(args).toEqual(expect.arrayContaining(["--user", `${process.getuid?.()}:${process.getgid?.()}`]));
  });
});

/** An engine that keeps what it was told, and whose container is a server that is healthy. */
const engine = (folder: string, status: number) => `#!/bin/sh
case "$1" in
  image) echo '["PATH=/usr/bin"]' ;;
  container) test ! -e ${folder}/gone ;;
  logs) echo 'it broke' >&2 ;;
  run)
    printf '%s\\n' "$@" > ${folder}/args
    echo "$ANTHROPIC_API_KEY" > ${folder}/key
    port=$(printf '%s\\n' "$@" | sed -n 's/^127.0.0.1:\\([0-9]*\\):8080$/\\1/p')
    if [ ${status} != 200 ]; then touch ${folder}/gone; exit 0; fi
    ${process.execPath} -e 'require("http").createServer((q, r) => r.end("{}")).listen(+process.argv[1], "127.0.0.1")' "$port" > /dev/null 2>&1 &
    echo $! > ${folder}/pid ;;
esac
`;

async function startWith(status: number) {
  const folder = temporaryFolder();
  const workspace = join(folder, "web");
  mkdirSync(workspace);
  writeFileSync(join(folder, "podman"), engine(folder, status), { mode: 0o755 });
  onTestFinished(() => {
    if (existsSync(join(folder, "pid"))) process.kill(Number(readFileSync(join(folder, "pid"), "utf8")), "SIGKILL");
  });
  const env = {
    PATH: `${folder}:/usr/bin:/bin`,
    COX_HOME: join(folder, "cox"),
    HOME: folder,
    ANTHROPIC_API_KEY: "sk-secret",
  };
  const context = { ...testContext({ env, cwd: workspace }), clock: systemClock };
  const code = runCommand(agent, ["start", "--docker", "--image", "img:1", "--detach", "--json"], context);
  return { folder, workspace, code, out: context.out };
}

test("is started with the engine that is there, and where it is reached is said", async () => {
  const { code, out, folder, workspace } = await startWith(200);
  expect(await code).toBe(0);
  const place = JSON.parse(out());
  expect(place.terminal).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(place.token_file).toBe(join(workspace, ".state/terminal-token"));
  expect(place.stop).toMatch(/^podman stop cox-agent-web-[0-9a-f]{8}$/);
  expect(readFileSync(join(folder, "args"), "utf8")).not.toContain("sk-secret");
  expect(readFileSync(join(folder, "key"), "utf8")).toBe("sk-secret\n");
});

test("a container that ends at once is an error with what it said", async () => {
  const { code } = await startWith(500);
  await expect(code).rejects.toMatchObject({ code: "agent.failed", message: expect.stringContaining("it broke") });
});
