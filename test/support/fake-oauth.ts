import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** How the server answers: with a token, a rotated one, an error, or not at all. */
export type OAuthAnswer = "200" | "rotated" | "400" | "429" | "500" | "hang" | "not json" | "no token";

/** An OAuth server that answers the first request by the first entry and so on; the last one stands for all that follow. */
export async function fakeOAuth(...script: [OAuthAnswer, ...OAuthAnswer[]]) {
  const asked: Record<string, string>[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      asked.push(JSON.parse(text));
      answer(script[Math.min(asked.length, script.length) - 1] ?? "500", response, asked.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/oauth/token`, asked };
}

function answer(how: OAuthAnswer, response: ServerResponse, n: number): void {
  const json = (status: number, body: object, headers = {}) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  switch (how) {
    case "200":
      return void json(200, { access_token: `access-${n}`, expires_in: 28_800 });
    case "rotated":
      return void json(200, { access_token: `access-${n}`, refresh_token: `refresh-${n}`, expires_in: 28_800 });
    case "400":
      return void json(400, { error: "invalid_grant", error_description: "refresh-0 is not known" });
    case "429":
      return void json(429, { error: "rate_limited" }, { "retry-after": "900" });
    case "500":
      return void json(500, {});
    case "not json":
      return void response.writeHead(200).end("<html>");
    case "no token":
      return void json(200, { expires_in: 1 });
    case "hang":
      return;
  }
}
