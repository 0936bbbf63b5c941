import { expect, test } from "vitest";
import { currentMountPoints, mountPoints } from "./mountinfo.ts";

const text = [
  "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
  "36 22 0:30 / /home/agent/.claude rw - nfs server:/x rw",
  "37 22 0:31 / /mnt/my\\040volume/a\\134b rw - tmpfs tmpfs rw",
  "38 22 0:32 / /mnt/größe\\040x rw - tmpfs tmpfs rw",
  "",
].join("\n");

test("mount points, escapes decoded", () => {
  expect([...mountPoints(text)]).toEqual(["/", "/home/agent/.claude", "/mnt/my volume/a\\b", "/mnt/größe x"]);
});

test("of this machine", () => {
  expect(currentMountPoints().has("/")).toBe(process.platform === "linux");
});
