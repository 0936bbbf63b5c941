import { expect, test } from "vitest";
import { exactHosts } from "./start.ts";

const OWN = ["127.0.0.1:4717", "localhost:4717", "[::1]:4717"];

test.each([
  ["127.0.0.1", [], OWN],
  ["::1", [], OWN],
  ["0.0.0.0", [], OWN],
  ["10.0.0.7", [], [...OWN, "10.0.0.7:4717"]],
  ["fd00::7", [], [...OWN, "[fd00::7]:4717"]],
  ["127.0.0.1", ["Box.example.org"], [...OWN, "box.example.org", "box.example.org:4717"]],
])("listening on %s, allowing %j: these names and no others", (host, allowed, names) => {
  expect(exactHosts(host, 4717, allowed)).toEqual(names);
});
