import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { BusMessage } from "../../../contract/bus.ts";
import { appendMessage } from "../../../core/store/bus/bus.ts";
import { readMessages } from "../../../core/store/bus/bus-reader.ts";
import { systemClock } from "../../../lib/base/clock.ts";
import { runCommand } from "../../../lib/command/command.ts";
import { testContext } from "../testing/test-context.ts";
import { follow } from "./bus/follow.ts";
import bus from "./bus.ts";

const RUN = "20260101-0000000000-0000042-0001";
const place = ["--project", "p", "--task", "t"];

function scene() {
  const home = temporaryFolder();
  const path = join(home, "projects/p/t/TASK-MESSAGE-BUS.md");
  return {
    home,
    path,
    env: { COX_HOME: home },
    inRun: { COX_HOME: home, JRUN_PROJECT_ID: "p", JRUN_TASK_ID: "t", JRUN_ID: RUN },
  };
}

async function cox(args: string[], options: Parameters<typeof testContext>[0] = {}) {
  const context = testContext({ cwd: temporaryFolder(), ...options });
  const code = await runCommand(bus, args, context);
  return { code, out: context.out(), err: context.err() };
}

const refused = (code: string, message = /./) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe("cox bus post", () => {
  test("prints the id of the message", async () => {
    const { env, path } = scene();
    const { code, out } = await cox(["post", ...place, "--type", "FACT", "it", "works"], { env });
    expect(code).toBe(0);
    expect(readMessages(path).messages).toMatchObject([
      { id: out.trim(), type: "FACT", project: "p", task: "t", run: "", body: "it works" },
    ]);
  });

  test("inside a run needs only the body, and says which run wrote it", async () => {
    const { inRun, path } = scene();
    const first = await cox(["post", "--body", "one"], { env: inRun });
    await cox(["post", "two", "--parent", first.out.trim(), "--link", "https://example.org/1", "--durable"], {
      env: inRun,
    });
    expect(readMessages(path).messages).toMatchObject([
      { type: "INFO", run: RUN, body: "one" },
      { type: "INFO", run: RUN, body: "two", parents: [first.out.trim()], links: ["https://example.org/1"] },
    ]);
  });

  test.each([[["- item"]], [["--body", "- item"]], [["--", "- item"]]])("a list is a message: %j", async (args) => {
    const { inRun, path } = scene();
    await cox(["post", ...args], { env: inRun });
    expect(readMessages(path).messages[0]?.body).toBe("- item");
  });

  test("on the project's bus: without a task, inside a run by naming the project", async () => {
    const { env, inRun, home } = scene();
    await cox(["post", "--project", "p", "one"], { env });
    await cox(["post", "--project", "p", "two"], { env: inRun });
    const { messages } = readMessages(join(home, "projects/p/PROJECT-MESSAGE-BUS.md"));
    expect(messages.map(({ body, task, run }) => [body, task, run])).toEqual([
      ["one", "", ""],
      ["two", "", RUN],
    ]);
  });

  test("takes the project from the repository", async () => {
    const { env, home } = scene();
    const cwd = join(temporaryFolder(), "My Repo");
    mkdirSync(join(cwd, ".git"), { recursive: true });
    await cox(["post", "x"], { env, cwd });
    expect(readMessages(join(home, "projects/my-repo/PROJECT-MESSAGE-BUS.md")).messages).toHaveLength(1);
  });

  test.each([
    ["without a body", []],
    ["with -", ["--body", "-"]],
  ])("reads stdin, byte for byte: %s", async (_, args) => {
    const { inRun, path } = scene();
    const body = "\ufeffa\r\n---\n\0b\n";
    await cox(["post", ...args], { env: inRun, stdin: body });
    expect(readMessages(path).messages[0]?.body).toBe(body);
  });

  test.each<[string, string[], Parameters<typeof testContext>[0], RegExp]>([
    ["no message on a terminal", ["post"], { tty: true }, /no message/],
    ["nothing on stdin", ["post"], { stdin: "" }, /stdin is empty/],
    ["two bodies", ["post", "a", "--body", "b"], {}, /not both/],
    ["a type of another form", ["post", "--type", "lower", "x"], {}, /use capitals/],
    ["a project that is a path", ["post", "--project", "../x", "x"], {}, /not a valid name/],
    ["an option of another verb", ["post", "--limit", "3", "x"], {}, /cox bus post: --limit: no such option/],
    ["an unknown verb", ["pots", "x"], {}, /pots: unknown; say post, read/],
    ["no verb", [], {}, /what to do\?/],
  ])("refuses %s", async (_, args, options, message) => {
    const { inRun } = scene();
    const expected = message.source.includes("valid name") ? "id.invalid" : "usage.invalid";
    await expect(cox(args, { env: inRun, ...options })).rejects.toThrow(refused(expected, message));
  });

  test("refuses what is no text", async () => {
    const { inRun } = scene();
    const context = testContext({ env: inRun });
    const done = runCommand(bus, ["post"], context);
    (context.stdin as unknown as NodeJS.WritableStream).end(Buffer.from([0x61, 0xff]) as unknown as string);
    await expect(done).rejects.toThrow(refused("usage.invalid", /not UTF-8/));
  });
});

describe("cox bus read", () => {
  const filled = () => {
    const made = scene();
    const post = (body: string, type = "INFO") =>
      appendMessage(made.path, { type, project: "p", task: "t", run: RUN, body }, Date.parse("2026-01-02T03:04:05Z"));
    post("one");
    const question = post("two\n2026-01-01 ERROR forged\x1b[2J", "QUESTION").id;
    post("L".repeat(100_000));
    return { ...made, question };
  };

  test("shows who said what and when, and where to read on", async () => {
    const { env, question, path } = filled();
    const { out, err } = await cox(["read", ...place], { env });
    const lines = out.split("\n");
    expect(lines[0]).toBe("2026-01-02T03:04:05Z  INFO  0000042-0001  one");
    expect(lines[1]).toBe(`2026-01-02T03:04:05Z  QUESTION  0000042-0001 [${question}]  two`);
    expect(lines[2]).toBe("    2026-01-01 ERROR forged");
    expect(lines[3]).toMatch(/L… \(97\.7 KB; all of it with --json\)$/);
    expect(err).toBe(`cursor: ${readMessages(path).cursor}\n`);
  });

  test("as JSON gives all of it, with the cursor", async () => {
    const { env } = filled();
    const { out } = await cox(["read", ...place, "--json"], { env });
    const page: { messages: BusMessage[]; cursor: string; damaged: number } = JSON.parse(out);
    expect(page.messages.map(({ body }) => JSON.stringify(body).length - 2)).toEqual([3, 36 + 1, 100_000]);
    expect(page).toMatchObject({ damaged: 0, cursor: page.messages[2]?.cursor });
    const rest = await cox(["read", ...place, "--json", "--since", page.messages[0]?.cursor ?? ""], { env });
    expect(JSON.parse(rest.out).messages).toHaveLength(2);
  });

  test("the last ones, and one type", async () => {
    const { env } = filled();
    expect((await cox(["read", ...place, "--limit", "1", "--type", "INFO"], { env })).out).toMatch(/LLL/);
    expect((await cox(["read", ...place, "--type", "QUESTION"], { env })).out).toMatch(/two/);
    const first = JSON.parse((await cox(["read", ...place, "--json", "--since", "0", "-n", "1"], { env })).out);
    expect(first.messages.map(({ body }: BusMessage) => body)).toEqual(["one"]);
  });

  test("of a bus nobody has begun is empty", async () => {
    const { env } = scene();
    expect(await cox(["read", ...place], { env })).toEqual({ code: 0, out: "", err: "cursor: 0\n" });
    expect(JSON.parse((await cox(["read", ...place, "--json"], { env })).out)).toEqual({
      messages: [],
      cursor: "0",
      damaged: 0,
    });
  });

  test.each([
    [["--limit", "0"], /not a number above 0/],
    [["--since", "x"], /not one of/],
  ])("refuses %j", async (args, message) => {
    const { env } = filled();
    await expect(cox(["read", ...place, ...args], { env })).rejects.toThrow(refused("usage.invalid", message));
  });
});

describe("cox bus follow", () => {
  test("shows the last messages, then the new ones, until it is ended", async () => {
    const { env, path } = scene();
    const post = (body: string, type = "INFO") => appendMessage(path, { type, project: "p", body }, 0);
    for (let n = 1; n <= 12; n += 1) post(`old ${n}`);
    const stop = new AbortController();
    const seen: string[] = [];
    const context = testContext({
      env,
      onWrite: (text) => {
        seen.push(text.trim().split("  ").at(-1) ?? "");
        if (text.includes("old 12")) post("new 1");
        if (text.includes("new 1")) post("new 2", "FACT");
        if (text.includes("new 2")) stop.abort();
      },
    });
    expect(await follow({ project: "p", task: "t" }, context, stop.signal)).toBe(0);
    expect(seen).toEqual([...Array.from({ length: 10 }, (_, n) => `old ${n + 3}`), "new 1", "new 2"]);
  });

  test("since a cursor, of one type, as JSON lines", async () => {
    const { env, path } = scene();
    for (const type of ["INFO", "FACT", "INFO", "FACT"]) appendMessage(path, { type, project: "p", body: type }, 0);
    const stop = new AbortController();
    const seen: BusMessage[] = [];
    const context = testContext({
      env,
      onWrite: (text) => {
        if (seen.push(JSON.parse(text)) === 2) stop.abort();
      },
    });
    await follow({ project: "p", task: "t", since: "0", type: "FACT", json: true }, context, stop.signal);
    expect(seen.map(({ type }) => type)).toEqual(["FACT", "FACT"]);
  });

  test("of a task that is not there says so", async () => {
    const { env } = scene();
    const context = testContext({ env });
    await expect(follow({ project: "p", task: "t" }, context, new AbortController().signal)).rejects.toThrow(
      refused("task.not_found"),
    );
  });
});

describe("cox bus ask", () => {
  /** Asks, and answers as soon as the question is there. */
  async function askAndAnswer(answer: string) {
    const { inRun, env, path } = scene();
    const asked = testContext({ env: inRun });
    const asking = runCommand(bus, ["ask", "Deploy", "now?"], {
      ...asked,
      clock: systemClock,
    });
    while (!asked.err().includes("cox bus answer")) await new Promise((resolve) => setImmediate(resolve));
    const [question] = readMessages(path).messages;
    const [, command = ""] = /cox bus (answer .*) "…"/.exec(asked.err()) ?? [];
    await cox(["post", ...place, "--type", "ANSWER", "--parent", "m1", "not this one"], { env });
    await cox([...command.split(" "), answer], { env });
    return { code: await asking, out: asked.out(), question, messages: readMessages(path).messages };
  }

  test("posts a question and prints the answer to it", async () => {
    const { code, out, question, messages } = await askAndAnswer("yes, after lunch");
    expect({ code, out }).toEqual({ code: 0, out: "yes, after lunch\n" });
    expect(question).toMatchObject({ type: "QUESTION", body: "Deploy now?", run: RUN });
    expect(messages.at(-1)).toMatchObject({ type: "ANSWER", parents: [question?.id], run: "" });
  });

  test.each(["no", " NO\n", "n"])("a plain %j is an exit code too", async (answer) => {
    expect((await askAndAnswer(answer)).code).toBe(1);
  });

  test("gives up in time", async () => {
    const { inRun, path } = scene();
    const context = { ...testContext({ env: inRun }), clock: systemClock };
    const asking = runCommand(bus, ["ask", "--timeout", "50ms", "Well?"], context);
    await expect(asking).rejects.toThrow(refused("timeout"));
    expect(readMessages(path).messages).toHaveLength(1);
  });

  test("an answer to what nobody asked is refused", async () => {
    const { env } = scene();
    await expect(cox(["answer", ...place, "m1-1-x-1", "yes"], { env })).rejects.toThrow(refused("request.not_found"));
  });
});
