import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CommandSpec, runCommand } from "../../../lib/command/command.ts";
import { testContext } from "../testing/test-context.ts";
import { begin, end, opened } from "../testing/test-events.ts";
import { TestHome } from "../testing/test-home.ts";
import interrupt from "./interrupt.ts";
import prompt from "./prompt.ts";
import stop from "./stop.ts";

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

async function cox(spec: CommandSpec, ...args: string[]) {
  return coxWith({}, spec, ...args);
}

async function coxWith(options: { env?: NodeJS.ProcessEnv; stdin?: string }, spec: CommandSpec, ...args: string[]) {
  const context = testContext({ ...options, env: { ...home.env, ...options.env } });
  const code = await runCommand(spec, args, context);
  return { code, out: context.out(), err: context.err() };
}

const BY = expect.stringMatching(/.+@.+ terminal/);

describe("prompt", () => {
  test("started at once, when nothing is under way", async () => {
    const run = await home.addLiveRun([opened]);
    run.react = (command) => {
      if (command.type === "prompt") {
        run.say([{ type: "user_message", promptId: command.promptId, content: command.content, delivery: "start" }]);
      }
      return undefined;
    };
    expect((await cox(prompt, run.id, "and", "now")).out).toBe("started\n");
    expect(run.commands).toMatchObject([
      { type: "prompt", content: [{ type: "text", text: "and now" }], delivery: "queue", by: BY },
    ]);
  });

  test("queued while it works; the text may come from stdin", async () => {
    const run = await home.addLiveRun([opened, begin]);
    run.react = (command) => {
      if (command.type !== "prompt") return undefined;
      const other = { promptId: "other", content: [] };
      run.say([{ type: "prompt_queue", prompts: [other, { promptId: command.promptId, content: command.content }] }]);
      return undefined;
    };
    const { out } = await coxWith({ stdin: "from\na file\n" }, prompt, "latest", "-");
    expect(out).toBe("queued, behind 1 other prompt\n");
    expect(run.commands).toMatchObject([{ content: [{ text: "from\na file\n" }] }]);
  });

  test("an ended run says how to go on", async () => {
    const run = home.addRun();
    await expect(cox(prompt, run.id, "x")).rejects.toThrow(`cox run --resume ${run.name}`);
    await expect(cox(prompt, run.id, " ")).rejects.toThrow("the prompt is empty");
  });
});

describe("interrupt", () => {
  test("a turn", async () => {
    const run = await home.addLiveRun([opened, begin]);
    expect((await cox(interrupt, run.id)).out).toBe("interrupted\n");
    expect(run.commands).toEqual([{ type: "interrupt", by: BY }]);
  });

  test("between turns there is nothing to interrupt", async () => {
    const run = await home.addLiveRun([opened, begin, end]);
    expect((await cox(interrupt, run.id)).out).toBe("nothing was under way\n");
  });
});

describe("stop", () => {
  test("waits for the end and tells it", async () => {
    const run = await home.addLiveRun([opened, begin]);
    run.react = () => {
      setTimeout(() => run.end({ status: "failed", reason: "stopped", exit_code: 1, error_summary: "stopped" }), 20);
      return undefined;
    };
    const { code, out } = await cox(stop, run.id, "--grace", "2s");
    expect([code, run.commands]).toEqual([0, [{ type: "stop", graceMs: 2000, by: BY }]]);
    expect(out).toMatch(new RegExp(`^✗ ${run.name} failed \\(stopped\\)`));
  });

  test("--all stops every live run", async () => {
    const runs = [await home.addLiveRun([opened]), await home.addLiveRun([opened])];
    home.addRun();
    for (const run of runs) {
      run.react = () => {
        run.end();
        return undefined;
      };
    }
    const { out } = await cox(stop, "--all");
    expect(out.match(/completed/g)).toHaveLength(2);
    expect((await cox(stop, "--all")).err).toBe("no live runs\n");
  });

  test("a run that has ended is what was wanted", async () => {
    const run = home.addRun();
    const { out, err, code } = await cox(stop, run.id);
    expect(out).toContain("completed");
    expect([err, code]).toEqual(["r1 had ended already, 58m ago\n", 0]);
  });

  test.each([[[]], [["--all", "x"]], [["latest", "--grace", "soon"]]])("%j is misuse", async (args) => {
    await expect(cox(stop, ...args)).rejects.toMatchObject({ code: "usage.invalid" });
  });
});
