import { expect, test } from "vitest";
import { agentSettings, settingsIn, withoutCredentials } from "./settings.ts";

const listing = (...entries: [origin: string, entry: string][]) =>
  Buffer.from(entries.map(([origin, entry]) => `${origin}\0${entry}\0`).join(""));

test("only what files say counts, and where they are", () => {
  const bytes = listing(
    ["file:/w/.git/config", "core.bare\nfalse"],
    ["file:/w/.git/config", "core.x"],
    ["command line:", "a.b\nc"],
  );
  expect(settingsIn(bytes)).toEqual({
    entries: [
      ["core.bare", "false"],
      ["core.x", "true"],
    ],
    origins: ["/w/.git/config"],
  });
});

test.each([
  ["core.fsmonitor", "/evil"],
  ["core.hookspath", "/evil"],
  ["core.sshcommand", "/evil"],
  ["core.autocrlf", "input; /evil"],
  ["credential.helper", "/evil"],
  ["filter.x.clean", "/evil"],
  ["include.path", "/evil"],
  ["alias.st", "!/evil"],
  ["http.https://x/.extraheader", "Authorization: s3cret"],
  ["remote.origin.uploadpack", "/evil"],
  ["remote.origin.url", "ext::sh -c /evil"],
  ["user.name", "a\n[core]\nfsmonitor = /evil"],
  ["remote.a\n[core]\n.url", "/evil"],
])("%s = %s is not taken over", (key, value) => {
  expect(agentSettings([[key, value]])).toBe(agentSettings([]));
});

test("the rest is, quoted, and large files are handled as they always are", () => {
  const text = agentSettings([
    ["user.name", 'A "B" \\ C # ;'],
    ["extensions.objectformat", "sha256"],
    ['remote.o"x.url', "https://me:pw@host/x"],
    ["filter.lfs.clean", "/evil"],
  ]);
  expect(text).toContain('[user]\n\tname = "A \\"B\\" \\\\ C # ;"\n');
  expect(text).toContain('repositoryformatversion = "1"');
  expect(text).toContain('[remote "o\\"x"]\n\turl = "https://host/x"\n');
  expect(text).toContain('[filter "lfs"]\n\tclean = "git-lfs clean -- %f"\n');
  expect(text).not.toContain("evil");
});

test.each([
  ["https://token@host/x", "https://host/x"],
  ["https://a:b@host/x@y", "https://host/x@y"],
  ["ssh://git:pw@host/x", "ssh://git@host/x"],
  ["git@host:x", "git@host:x"],
  ["/srv/x", "/srv/x"],
])("%s is shown as %s", (url, shown) => {
  expect(withoutCredentials(url)).toBe(shown);
});
