import { describe, expect, test } from "vitest";
import { init, last, openScene, send, success } from "../../../../test/support/headless-scene.ts";
import { openOptions } from "../../../../test/support/scripted-agent.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import type { OpenOptions } from "../protocol.ts";
import { codexExecDialect } from "./codex-exec/dialect.ts";
import type { Conversation } from "./conversation.ts";
import type { Dialect } from "./dialect.ts";
import { headlessProtocol } from "./driver.ts";
import { geminiDialect } from "./gemini/dialect.ts";
import { opencodeDialect } from "./opencode/dialect.ts";

describe("how a turn can end badly", () => {
  const failing = async <S extends Conversation>(
    dialect: Dialect<S>,
    exit: [code: number, stderr: string, signal?: string],
    options: Partial<OpenOptions> = {},
    lines: object[] = [],
  ) => {
    const scene = await openScene(dialect, options);
    const process = await scene.prompt("x");
    process.say(...lines);
    process.exit(...exit);
    const events = await scene.until("complete");
    expect(events.filter((event) => event.type === "turn_started")).toHaveLength(1);
    const errors = events.filter((event) => event.type === "error");
    return { errors, complete: last(events) };
  };
  const dead = { resume: { sessionId: "11111111-2222" } };
  const esc = "\u001b";

  // The stderr texts and codes are those of the recorded runs.
  const cases = {
    "gemini without a key": {
      run: () =>
        failing(geminiDialect, [
          41,
          "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.\n",
        ]),
      error: { category: "auth", remedy: expect.stringContaining("GEMINI_API_KEY") },
    },
    "gemini, a dead token": {
      run: () =>
        failing(geminiDialect, [42, 'Error resuming session: Invalid session identifier "11111111-2222".\n'], dead),
      error: { category: "other", message: expect.stringContaining("doesn't know the conversation 11111111-2222") },
    },
    "gemini in a directory it doesn't trust": {
      run: () => failing(geminiDialect, [55, `${esc}[31mGemini CLI is not running in a trusted directory.${esc}[0m\n`]),
      error: { message: "Gemini CLI is not running in a trusted directory.", remedy: expect.stringContaining("TRUST") },
    },
    "gemini, HTTP 400 without a result line": {
      run: () => failing(geminiDialect, [144, "Error when talking to Gemini API"], {}, [init]),
      error: { category: "other", httpStatus: 400 },
    },
    "gemini, HTTP 500": {
      run: () => failing(geminiDialect, [244, "boom"], {}, [init]),
      error: { category: "server", httpStatus: 500, retryable: true },
    },
    "gemini, killed, as a shell would tell it": {
      run: () => failing(geminiDialect, [137, ""], {}, [init]),
      error: { category: "process", message: "the agent exited with code 137" },
    },
    "gemini, ended by a signal": {
      run: () => failing(geminiDialect, [143, "", "SIGTERM"], {}, [init]),
      error: { category: "process", message: "the agent was ended by SIGTERM" },
    },
    "gemini exits 0 in the middle": {
      run: () =>
        failing(geminiDialect, [0, ""], {}, [init, { type: "message", role: "assistant", content: "ti", delta: true }]),
      error: { category: "process", message: "the agent ended without a result" },
    },
    "codex, a dead token": {
      run: () =>
        failing(
          codexExecDialect,
          [1, "Error: thread/resume: thread/resume failed: no rollout found for thread id 1 (code -32600)\n"],
          dead,
        ),
      error: { message: expect.stringContaining("codex doesn't know the conversation") },
    },
    "codex outside a repository": {
      run: () =>
        failing(codexExecDialect, [
          1,
          "Reading additional input from stdin...\nNot inside a trusted directory and --skip-git-repo-check was not specified.\n",
        ]),
      error: {
        message: "Not inside a trusted directory and --skip-git-repo-check was not specified.",
        remedy: expect.stringContaining("--skip-git-repo-check"),
      },
    },
    "codex, a flag it doesn't know": {
      run: () => failing(codexExecDialect, [2, "error: unexpected argument '--nope' found\n"]),
      error: { category: "process", message: "error: unexpected argument '--nope' found" },
    },
    "codex, killed without a word": {
      run: () => failing(codexExecDialect, [137, "", "SIGKILL"]),
      error: { category: "process", message: "the agent was ended by SIGKILL" },
    },
    "opencode, a dead token": {
      run: () => failing(opencodeDialect, [1, `${esc}[91m${esc}[1mError: ${esc}[0mSession not found\n`], dead),
      error: { message: expect.stringContaining("opencode doesn't know the conversation") },
    },
    "opencode, an exit without a word": {
      run: () => failing(opencodeDialect, [1, ""]),
      error: { category: "process", message: "the agent exited with code 1" },
    },
  };

  test.each(Object.entries(cases))("%s", async (_, { run, error }) => {
    const { errors, complete } = await run();
    expect(errors).toMatchObject([{ type: "error", turn: "t1", ...error }]);
    expect(complete).toMatchObject({ turn: "t1", outcome: "failed", reason: errors[0]?.message });
  });

  test("an error that the stream told is told once, whatever the exit code", async () => {
    const failed = { type: "turn.failed", error: { message: "nope" } };
    const lines = [
      { type: "thread.started", thread_id: "x" },
      { type: "turn.started" },
      { type: "error", message: "nope" },
      failed,
    ];
    const { errors } = await failing(codexExecDialect, [1, "noise"], {}, lines);
    expect(errors).toHaveLength(1);
  });

  test("an error line just before the end explains it", async () => {
    const lines = [{ type: "turn.started" }, { type: "error", message: "stream disconnected" }];
    const { errors, complete } = await failing(codexExecDialect, [1, "noise"], {}, lines);
    expect(errors).toMatchObject([{ message: "stream disconnected" }]);
    expect(complete).toMatchObject({ outcome: "failed" });
  });

  test("after a failure the same session takes the next prompt", async () => {
    const scene = await openScene(geminiDialect);
    (await scene.prompt("x")).exit(244, "boom");
    await scene.until("complete");
    const second = await scene.prompt("again");
    second.say(init, success);
    second.exit(0);
    expect(last(await scene.until("complete"))).toMatchObject({ turn: "t2", outcome: "completed" });
  });

  test("a program that can't be started is the prompt's error, and no turn", async () => {
    const refuse = () => Promise.reject(new Error("not found on PATH"));
    const options = openOptions({ permissions: "allow" });
    const session = await headlessProtocol(geminiDialect).open(refuse, options, new AbortController().signal);
    await expect(send(session, "x")).rejects.toThrow("not found on PATH");
    await session.close("done");
    const events: AgentEvent[] = [];
    for await (const event of session.events) events.push(event);
    expect(events).toEqual([]);
  });

  test("noise between the lines is counted", async () => {
    const scene = await openScene(geminiDialect);
    const process = await scene.prompt("x");
    process.say("npm warn deprecated", "", init, success);
    process.exit(0);
    const events = await scene.until("complete");
    expect(events.filter((event) => event.type === "unmapped")).toMatchObject([
      { why: "unparsed", protocol: "gemini" },
    ]);
  });
});
