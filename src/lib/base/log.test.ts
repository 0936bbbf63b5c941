import { describe, expect, test } from "vitest";
import { redactor } from "../text/redact.ts";
import { createLog, type Level } from "./log.ts";

function logTo(level: Level, redact?: (text: string) => string) {
  const lines: string[] = [];
  const log = createLog({ sink: (line) => lines.push(line), level, now: () => 0, redact });
  return { log, lines };
}

describe("createLog", () => {
  test("a line is one JSON object and a newline", () => {
    const { log, lines } = logTo("info");
    log.info("two\nlines", { runId: "r1", count: 2 });
    expect(lines).toEqual([
      '{"at":"1970-01-01T00:00:00.000Z","level":"info","message":"two\\nlines","runId":"r1","count":2}\n',
    ]);
  });

  test("what a terminal would obey is escaped, and means the same", () => {
    const { log, lines } = logTo("info");
    const hostile = "\u009b31m \u202e txt.exe \u001b[2J";
    log.info("x", { hostile });
    expect(lines[0]).toMatch(/^[\x20-\x7e]*\n$/);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ hostile });
  });

  test.each([
    ["debug", ["debug", "info", "warn", "error"]],
    ["warn", ["warn", "error"]],
    ["error", ["error"]],
  ] satisfies [Level, Level[]][])("level %s passes %j", (level, passed) => {
    const { log, lines } = logTo(level);
    for (const each of ["debug", "info", "warn", "error"] satisfies Level[]) log[each]("x");
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(passed);
  });

  test("a field can't pose as the level, the time or the message", () => {
    const { log, lines } = logTo("info");
    log.warn("real", { message: "forged", level: "forged", c: 3 });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "warn", message: "real", c: 3 });
  });

  test("errors are readable, with their cause and without the arguments a spawn error carries", () => {
    const { log, lines } = logTo("info");
    const cause = Object.assign(new Error("spawn E2BIG"), { code: "E2BIG", spawnargs: ["-p", "the prompt"] });
    log.error("failed", { error: new Error("outer", { cause }) });
    expect(JSON.parse(lines[0] ?? "").error).toMatchObject({ message: "outer", cause: { code: "E2BIG" } });
    expect(lines[0]).not.toContain("the prompt");
  });

  test("what can't be written as JSON doesn't throw", () => {
    const { log, lines } = logTo("info");
    const circular: Record<string, unknown> = { big: 1n };
    log.info("fine", { ...circular });
    circular.self = circular;
    log.info("circular", circular);
    expect(JSON.parse(lines[0] ?? "").big).toBe("1");
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({ message: "circular" });
    expect(JSON.parse(lines[1] ?? "").unloggable).toContain("circular");
  });

  test("secrets are taken out wherever they are, and the line stays JSON", () => {
    const secret = 'sk-"quoted\\and\nbroken"';
    const { log, lines } = logTo("info", redactor([secret]));
    log.info(`key ${secret}`, { deep: { [secret]: [secret] } });
    expect(lines[0]).not.toContain("quoted");
    expect(JSON.parse(lines[0] ?? "").message).toBe("key [redacted]");
  });
});

describe("redactor", () => {
  const secret = "gh/p_A+b c&9?äöü-Z~";
  const redact = redactor([secret, "short", ""]);
  const basic = (before: string, after: string) => Buffer.from(before + secret + after);
  const carriers: Record<string, string> = {
    "as it is": secret,
    "in JSON": JSON.stringify({ secret }),
    "in a path": `https://host/${encodeURIComponent(secret)}/x`,
    "in a form": new URLSearchParams({ q: secret }).toString(),
    "with small hex digits": encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase()),
    "in base64": basic("", "").toString("base64"),
    "in base64url": basic("", "").toString("base64url"),
    "in base64 after 1 byte": basic("u", "").toString("base64"),
    "in base64 after 2 bytes": basic("u:", ":more").toString("base64"),
    "in base64 after 3 bytes": basic("me:", "").toString("base64url"),
    "in base64 after 17 bytes": basic("x-access-token-v:", "\n").toString("base64"),
  };
  test.each(Object.entries(carriers))("takes a secret out %s", (_name, text) => {
    const redacted = redact(`before ${text} after`);
    expect(redacted.match(/\[redacted\]/g)).toHaveLength(1);
    // In base64 a character at either end may stay: it also stands for bits of the neighbours.
    const taken = `before ${text} after`.length - redacted.replace("[redacted]", "").length;
    expect(taken).toBeGreaterThanOrEqual(secret.length);
    if (text.length === taken) expect(redacted).toBe("before [redacted] after");
  });

  test("short values stay, other text stays", () => {
    expect(redact("a short text, 100 % plain")).toBe("a short text, 100 % plain");
    expect(redactor(["1234567"])("1234567")).toBe("1234567");
    expect(redactor(["12345678"])("12345678")).toBe("[redacted]");
  });

  test("a secret within a secret goes with it", () => {
    expect(redactor(["password", "password-long"])("password-long password")).toBe("[redacted] [redacted]");
  });

  test("a secret that looks like a pattern is taken literally", () => {
    expect(redactor([".*+?^${}()|[]\\/"])("aaaaaaaaaaaaaaaaaa .*+?^${}()|[]\\/")).toBe("aaaaaaaaaaaaaaaaaa [redacted]");
  });

  test("half a surrogate pair does not throw", () => {
    expect(redactor(["secret-\ud83d-half"])("x secret-\ud83d-half")).toBe("x [redacted]");
  });
});
