import { describe, expect, test } from "vitest";
import { hostOf, providerOf, tokenUser } from "./host.ts";

describe("the host of a repository", () => {
  test.each([
    ["https://github.com/org/repo.git", "github.com", "github"],
    ["https://me@github.com/org/repo", "github.com", "github"],
    ["https://GitHub.com/org/repo", "github.com", "github"],
    ["git@github.com:org/repo.git", "github.com", "github"],
    ["ssh://git@github.com:22/org/repo", "github.com", "github"],
    ["https://github.corp.example:8443/org/repo", "github.corp.example", "github"],
    ["https://ghe.corp.example/org/repo", "ghe.corp.example", "github"],
    ["https://code.corp.example/org/repo", "code.corp.example", "github"],
    ["https://gitlab.com/org/repo", "gitlab.com", "gitlab"],
    ["https://gitlab.corp.example/org/repo", "gitlab.corp.example", "gitlab"],
    ["https://bitbucket.org/org/repo", "bitbucket.org", "other"],
    ["https://dev.azure.com/org/repo", "dev.azure.com", "other"],
    ["https://gitea.corp.example/org/repo", "gitea.corp.example", "other"],
    ["http://10.0.0.1:3000/org/repo", "10.0.0.1", "other"],
    ["http://git-server/org/repo", "git-server", "other"],
    ["http://git.default.svc/org/repo", "git.default.svc", "other"],
    ["not a url", "", "other"],
  ])("%s", (repo, host, provider) => {
    expect(hostOf(repo)).toBe(host);
    expect(providerOf({ repo })).toBe(provider);
  });

  test("what a Workspace says wins over what its name tells", () => {
    expect(providerOf({ repo: "https://code.corp.example/a/b", provider: "gitlab" })).toBe("gitlab");
  });

  test.each([
    ["https://github.com/a/b", "x-access-token"],
    ["https://gitlab.com/a/b", "oauth2"],
    ["https://bot%40corp@github.com/a/b", "bot@corp"],
  ])("%s takes a token from %s", (repo, user) => {
    expect(tokenUser({ repo })).toBe(user);
  });
});
