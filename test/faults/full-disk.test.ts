import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root, scene } from "../support/cox.ts";

const possible = spawnSync("unshare", ["-Urm", "true"]).status === 0;
if (!possible) console.log("NOT TRIED: a full disk, because this machine has no unprivileged mounts");

/** In a mount namespace of its own, with a small file system that is filled and emptied again. */
function withSmallDisk(script: string): { stdout: string; stderr: string } {
  const made = scene();
  const disk = join(made.folder, "disk");
  const whole = `set -u
    mkdir ${disk} && mount -t tmpfs -o size=256k tmpfs ${disk}
    export COX_HOME=${disk}/home; mkdir -m 700 $COX_HOME; cd ${made.workspace}
    fill() { dd if=/dev/zero of=${disk}/filler bs=1k count=$1 2>/dev/null; }
    run() { cox run --agent demo --permissions allow --quiet -- "$1"; echo "exit $?"; }
    ${script}`;
  const env = { ...made.env, PATH: `${join(root, "bin")}:${process.env.PATH}` };
  return spawnSync("unshare", ["-Urm", "bash", "-c", whole], { env, encoding: "utf8" });
}

describe.runIf(possible)("a full disk", () => {
  test("before a run: a clear error, and nothing half made", () => {
    const { stdout, stderr } = withSmallDisk('fill 400; run "@say hi"; find $COX_HOME -type f');
    expect(stderr).toContain("no space left on the disk (ENOSPC); free some space and try again");
    expect(stdout.trim()).toBe("exit 1");
  });

  test("in the middle of one: it is ended and says so; once there is space, its record is completed", () => {
    const script =
      'run "@say hi"; fill 190; run "@burst 3000 200"; rm $COX_HOME/../filler; cox ls --json; run "@say again"';
    const { stdout, stderr } = withSmallDisk(script);
    expect(stderr).toContain("no space left on the disk");
    const [first = "", exit, second, ...rest] = stdout.trim().split("\n");
    expect([first, exit, second]).toEqual(["hi", "exit 0", "exit 1"]);
    expect(rest.slice(0, -2).join("")).toContain('"failed"');
    expect(rest.slice(-2)).toEqual(["again", "exit 0"]);
  });
});
