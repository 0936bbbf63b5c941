import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { TestClock } from "../../../faces/cli/testing/test-context.ts";
import { testPlace } from "../test-place.ts";
import { type CredentialMode, provision } from "./cascade.ts";

const clock = new TestClock();
const login = (more = {}) =>
  JSON.stringify({ claudeAiOauth: { accessToken: "a", refreshToken: "r", expiresAt: 1, ...more }, extra: 1 });
const dead = login({ refreshToken: "" });

interface Given {
  volume?: string;
  secret?: string;
  env?: Record<string, string>;
}

async function cascade({ volume, secret, env = {} }: Given) {
  const place = testPlace(env);
  mkdirSync(place.places.claude, { recursive: true });
  if (volume !== undefined) writeFileSync(place.places.credentials, volume);
  if (secret !== undefined) writeFileSync(place.settings.secretFile, secret);
  const result = await provision({ ...place, clock, signal: new AbortController().signal });
  const file = place.places.credentials;
  return { ...result, file, text: existsSync(file) ? readFileSync(file, "utf8") : undefined };
}

describe("the cascade", () => {
  const oauth = { CLAUDE_CODE_OAUTH_TOKEN: "t" };
  const key = { ANTHROPIC_API_KEY: "k" };
  test.each<[string, Given, CredentialMode]>([
    ["nothing", {}, "None"],
    ["all of them: the volume", { volume: login(), secret: login(), env: { ...oauth, ...key } }, "PVC"],
    ["the secret", { secret: login(), env: { ...oauth, ...key } }, "Secret"],
    ["the token of the environment", { env: { ...oauth, ...key } }, "OAuthEnv"],
    ["the key", { env: key }, "APIKey"],
    ["a damaged file on the volume is passed over", { volume: "{ half", secret: login() }, "Secret"],
    ["an expired login without a way on is passed over", { volume: dead, env: key }, "APIKey"],
    ["an expired login that can be renewed is used", { volume: login({ expiresAt: 1 }), env: key }, "PVC"],
    [
      "a login that its host manages is used",
      { volume: login({ refreshToken: "", expiresAt: 9_999_999_999_999 }) },
      "PVC",
    ],
    ["a damaged secret, too", { secret: "null", env: oauth }, "OAuthEnv"],
  ])("%s", async (_, given, mode) => {
    expect((await cascade(given)).mode).toBe(mode);
  });

  test("a secret is copied to the volume, whole and private", async () => {
    const { file, text } = await cascade({ secret: login() });
    expect(JSON.parse(text ?? "")).toEqual(JSON.parse(login()));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("what was passed over is said", async () => {
    const { passedOver } = await cascade({ volume: dead, secret: "{}", env: key });
    expect(passedOver).toEqual(["volume: expired, and it can't be renewed", "secret: not a login"]);
  });
});

describe("from the hub", () => {
  async function hub(...answers: [number, string][]) {
    const asked: { url: string | undefined; authorization: string | undefined; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        asked.push({ url: request.url, authorization: request.headers.authorization, body });
        const [status, text] = answers[Math.min(asked.length, answers.length) - 1] ?? [500, ""];
        response.writeHead(status).end(text);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      asked,
      env: { COOP_MUX_URL: url, COOP_MUX_AUTH_TOKEN: "hub", COOP_AUTH_TOKEN: "mine", HOSTNAME: "pod-1" },
    };
  }

  test("with its token, in its own contract", async () => {
    const { asked, env } = await hub([200, login()]);
    const { mode, text } = await cascade({ env });
    expect(mode).toBe("MuxFetch");
    expect(JSON.parse(text ?? "")).toEqual(JSON.parse(login()));
    expect(asked).toEqual([
      { url: "/api/v1/credentials/distribute", authorization: "Bearer hub", body: '{"session_id":"pod-1"}' },
    ]);
  });

  test.each<[string, [number, string][], CredentialMode, number]>([
    ["one that only says it will push them", [[200, '{"distributed":true,"account":"x"}']], "None", 1],
    ["one that refuses", [[400, "{}"]], "None", 1],
    [
      "one that is just starting",
      [
        [503, ""],
        [200, login()],
      ],
      "MuxFetch",
      2,
    ],
    ["one that stays broken", [[500, ""]], "None", 3],
  ])("%s", async (_, answers, mode, times) => {
    const { asked, env } = await hub(...answers);
    expect((await cascade({ env })).mode).toBe(mode);
    expect(asked).toHaveLength(times);
  });

  test("nobody there", async () => {
    expect((await cascade({ env: { COOP_MUX_URL: "http://127.0.0.1:1" } })).mode).toBe("None");
  });
});
