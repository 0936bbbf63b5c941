import { describe, expect, test } from "vitest";
import { ownTools } from "../../../../test/support/own-tools.ts";
import { openOptions } from "../../../../test/support/scripted-agent.ts";
import { isProxied, serversOf } from "./servers.ts";

const program = { type: "stdio", command: "/bin/node", args: ["cox", "mcp"], env: {} };
const address = { type: "http", url: "http://127.0.0.1:1/mcp", headers: { Authorization: "Bearer t" } };
const person = { name: "fs", transport: { type: "http", url: "https://x.test", headers: {} } } as const;

describe("an agent is told of the run's own tools", () => {
  const blocked = async () => {
    throw new Error("listen EADDRNOTAVAIL");
  };
  const cases = {
    "over HTTP, if it takes that": [{}, true, address],
    "through a program, if it doesn't": [{}, false, program],
    "through a program, if it has a network of its own": [{ tools: { ...ownTools(), http: undefined } }, true, program],
    "through a program, if nobody can listen": [{ tools: { ...ownTools(), http: blocked } }, true, program],
    "through a program, if a proxy would hear the token": [{ env: { http_proxy: "http://p" } }, true, program],
  } as const;
  test.each(Object.entries(cases))("%s", async (_, [options, takesHttp, transport]) => {
    const all = openOptions({ mcpServers: [person], tools: ownTools(), ...options });
    expect(await serversOf(all, { takesHttp })).toEqual([
      person,
      { name: "coxswain", callLimitMs: 86_400_000, transport },
    ]);
  });

  test("unless it is to have none", async () => {
    expect(await serversOf(openOptions({ mcpServers: [person] }), { takesHttp: true })).toEqual([person]);
  });
});

test.each([
  [{}, false],
  [{ HTTPS_PROXY: "http://p" }, false],
  [{ HTTP_PROXY: "" }, false],
  [{ HTTP_PROXY: "http://p" }, true],
  [{ all_proxy: "socks5://p" }, true],
  [{ HTTP_PROXY: "http://p", NO_PROXY: "localhost,.corp" }, true],
  [{ HTTP_PROXY: "http://p", no_proxy: "localhost, 127.0.0.1" }, false],
  [{ HTTP_PROXY: "http://p", NO_PROXY: "*" }, false],
])("with %j this machine is reached through a proxy: %j", (env, expected) => {
  expect(isProxied(env as Record<string, string>)).toBe(expected);
});
