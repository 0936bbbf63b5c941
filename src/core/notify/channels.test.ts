import { createHmac } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { newMessage, testDraft } from "./message.ts";
import { desktopCommand, runProgram, showOnDesktop } from "./programs.ts";
import { postWebhook } from "./webhook.ts";

const message = newMessage({ ...testDraft, text: "a $(touch hacked) `b` <i>c</i> & d" }, 0);

interface Received {
  method: string;
  headers: IncomingHttpHeaders;
  body: string;
}

async function server(
  status: number,
  headers: Record<string, string> = {},
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const listening = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      received.push({ method: request.method ?? "", headers: request.headers, body });
      response.writeHead(status, headers).end("thanks");
    });
  });
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void listening.close());
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/hook?key=hidden`, received };
}

function program(script: string): string {
  const file = join(temporaryFolder(), "program");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe("a webhook", () => {
  test("gets the message as JSON, signed over exactly what is sent", async () => {
    const { url, received } = await server(204);
    await postWebhook({ url, secret: () => "s3cret" }, message);
    const [{ method, headers, body } = { method: "", headers: {}, body: "" }] = received;
    expect(method).toBe("POST");
    expect(JSON.parse(body)).toEqual(message);
    const expected = createHmac("sha256", "s3cret").update(body).digest("hex");
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-coxswain-signature": `sha256=${expected}`,
      "x-coxswain-id": message.id,
      "x-coxswain-event": "test",
    });
    expect(body).not.toContain("s3cret");
  });

  test("without a secret it isn't signed", async () => {
    const { url, received } = await server(200);
    await postWebhook({ url }, message);
    expect(received[0]?.headers).not.toHaveProperty("x-coxswain-signature");
  });

  test.each([500, 404, 429])("that answers with %s has not got it; its address isn't told", async (status) => {
    const { url } = await server(status);
    await expect(postWebhook({ url }, message)).rejects.toThrow(`webhook: it answered with ${status}`);
    await expect(postWebhook({ url }, message)).rejects.not.toThrow("hidden");
  });

  test("a redirect is not followed", async () => {
    const other = await server(200);
    const { url } = await server(307, { Location: other.url });
    await expect(postWebhook({ url }, message)).rejects.toThrow("it answered with 307");
    expect(other.received).toEqual([]);
  });

  test("that isn't there says why", async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    await expect(postWebhook({ url: `http://127.0.0.1:${port}/` }, message)).rejects.toThrow(
      "webhook: can't be reached (ECONNREFUSED)",
    );
  });

  test("a secret that can't be read sends nothing", async () => {
    const { url, received } = await server(200);
    const secret = () => {
      throw new Error("the variable X is not set");
    };
    await expect(postWebhook({ url, secret }, message)).rejects.toThrow("the variable X is not set");
    expect(received).toEqual([]);
  });
});

describe("a command", () => {
  test("gets the message on its stdin, and only its own arguments", async () => {
    const file = program('cat > "$0.in"; printf "%s|" "$@" > "$0.args"');
    await runProgram([file, "a b", "$HOME"], message, { PATH: process.env.PATH });
    expect(JSON.parse(readFileSync(`${file}.in`, "utf8"))).toEqual(message);
    expect(readFileSync(`${file}.args`, "utf8")).toBe("a b|$HOME|");
  });

  test("that fails says so in its own words", async () => {
    const file = program("echo first >&2; echo no route >&2; exit 3");
    await expect(runProgram([file], message, {})).rejects.toThrow(/ended with 3: no route$/);
  });

  test("that doesn't exist", async () => {
    await expect(runProgram(["no-such-program"], message, { PATH: "/bin" })).rejects.toThrow(
      /no-such-program: not found/,
    );
  });
});

describe("the desktop", () => {
  test("on Linux: words are arguments, and its markup is escaped", () => {
    expect(desktopCommand("linux", "title", message.text)).toEqual([
      "notify-send",
      ["--app-name=Coxswain", "--", "title", "a $(touch hacked) `b` &#60;i&#62;c&#60;/i&#62; &#38; d"],
    ]);
  });

  test("on macOS: words are arguments of the script, not part of it", () => {
    const [name, args] = desktopCommand("darwin", 'ti"tle', message.text);
    expect(name).toBe("osascript");
    expect(args.slice(-2)).toEqual(['ti"tle', message.text]);
    expect(args.slice(0, -2).join(" ")).not.toContain("hacked");
  });

  test("says what to install", async () => {
    await expect(showOnDesktop(message, { PATH: "/nowhere" }, "linux")).rejects.toThrow(
      "notify-send: not found; install libnotify-bin",
    );
  });

  test("is shown by the program on the PATH", async () => {
    const file = program('printf "%s\\n" "$@" > "$0.args"');
    const folder = join(file, "..");
    writeFileSync(join(folder, "notify-send"), readFileSync(file));
    chmodSync(join(folder, "notify-send"), 0o755);
    await showOnDesktop(
      { ...message, answer: "cox answer x allow" },
      { PATH: `${folder}:${process.env.PATH}` },
      "linux",
    );
    expect(readFileSync(join(folder, "notify-send.args"), "utf8")).toContain("cox answer x allow");
  });
});
