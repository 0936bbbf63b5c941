import { expect, test } from "vitest";
import { hostNames } from "./host-names.ts";

test("loopback, the pod's address and name, and what was configured; nothing else", () => {
  const names = hostNames({ host: "127.0.0.1", port: 80 }, { POD_IP: "10.0.0.7", HOSTNAME: "Pod-1" }, [
    "a.example",
    "b.example:9",
  ]);
  for (const name of [
    "localhost:80",
    "127.0.0.1:80",
    "[::1]:80",
    "10.0.0.7:80",
    "pod-1:80",
    "a.example:80",
    "b.example:9",
  ]) {
    expect(names).toContain(name);
  }
  expect(names).not.toContain("b.example:9:80");
  expect(names).not.toContain("*");
  expect(names.some((name) => name.includes("undefined"))).toBe(false);
});

test("on a wildcard address, each of this machine's", () => {
  expect(hostNames({ host: "0.0.0.0", port: 1 }, {}, []).length).toBeGreaterThan(
    hostNames({ host: "127.0.0.1", port: 1 }, {}, []).length,
  );
});

test("IPv6 stands in brackets", () => {
  expect(hostNames({ host: "fd00::1", port: 8 }, { POD_IP: "fd00::2" }, [])).toEqual(
    expect.arrayContaining(["[fd00::1]:8", "[fd00::2]:8"]),
  );
});
