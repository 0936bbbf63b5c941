import { expect, test } from "vitest";
import { placesOf } from "./places.ts";

const settings = { home: "/home/agent", state: "/ws/.state" };

test.each([
  ["linked into the state", undefined, [], "/ws/.state/claude", "/home/agent/.claude", "/home/agent/.claude.json"],
  [
    "a volume of its own",
    undefined,
    ["/home/agent/.claude"],
    "/home/agent/.claude",
    undefined,
    "/home/agent/.claude.json",
  ],
  ["told where", "/cfg", ["/home/agent/.claude"], "/cfg", undefined, "/cfg/.claude.json"],
])("%s", (_, configured, mounts, claude, link, claudeJson) => {
  const places = placesOf(settings, configured, new Set(mounts));
  expect(places).toMatchObject({ claude, link, claudeJson, credentials: `${claude}/.credentials.json` });
  expect(places.conversations).toBe(`${claude}/projects`);
});
