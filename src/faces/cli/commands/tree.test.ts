import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { appendLedger, startRecord } from "../../../core/store/ledger/ledger.ts";
import { type CommandSpec, runCommand } from "../../../lib/command/command.ts";
import { testContext } from "../testing/test-context.ts";
import { begin, opened, permission } from "../testing/test-events.ts";
import { TestHome } from "../testing/test-home.ts";
import tree from "./tree.ts";
import wait from "./wait.ts";

const laterId = (n: number) => `20260801-120000${String(n).padStart(4, "0")}-0000042-0001`;

let home: TestHome;
beforeEach(() => {
  home = new TestHome();
});
afterEach(() => home.remove());

const cox = (spec: CommandSpec, ...args: string[]) => home.cox(spec, ...args);

describe("tree", () => {
  test("an empty home says how to begin", async () => {
    expect(await cox(tree)).toMatchObject({ code: 0, out: "", err: 'no runs; start one with `cox run "…"`\n' });
  });

  test("children below the run that started them, in the words of the list", async () => {
    const top = home.addRun([], {}, "top");
    const left = home.addRun([], { parent_run_id: top.id, status: "failed", reason: "turn_failed", category: "auth" });
    const leaf = home.addRun([], { parent_run_id: left.id }, "leaf");
    const right = await home.addLiveRun([opened, begin, permission("p0")], { parent_run_id: top.id });
    expect((await cox(tree)).out.split("\n")).toEqual([
      `${top.name}  demo  completed  top`,
      `├─ ${left.name}  demo  failed (auth)  a title`,
      `│  └─ ${leaf.name}  demo  completed  leaf`,
      `└─ ${right.name}  demo  waiting for you  a title`,
      "",
    ]);
  });

  test("a title makes no lines of its own", async () => {
    home.addRun([], {}, "evil\r20260801-1100000009-0000042-0009  demo  completed  forged\x1b[31m");
    expect((await cox(tree)).out.match(/\n/g)).toHaveLength(1);
  });

  test("of one run, also as JSON: it and what it started, however much came later", async () => {
    const top = home.addRun([], {}, "top");
    const child = home.addRun([], { parent_run_id: top.id });
    const later = startRecord(top.info, "later");
    for (let n = 0; n < 1001; n += 1) appendLedger(home.home, { ...later, run_id: laterId(n) });
    expect((await cox(tree, top.id)).out.split("\n")).toHaveLength(3);
    expect(await cox(tree)).toMatchObject({ lines: { length: 20 }, err: "982 more: cox tree --all\n" });
    expect((await cox(tree, "--all")).lines).toHaveLength(1003);
    const lines = (await cox(tree, top.id, "--json")).out.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).run_id)).toEqual([top.id, child.id]);
  });

  test("a living one is shown however long ago it began", async () => {
    const old = await home.addLiveRun();
    const later = startRecord(home.addRun([], {}).info, "later");
    for (let n = 0; n < 30; n += 1) appendLedger(home.home, { ...later, run_id: laterId(n) });
    const { lines } = await cox(tree);
    expect(lines).toHaveLength(21);
    expect(lines[0]).toContain(old.name);
  });

  test("an agent sees its own family alone", async () => {
    const [other, own] = [home.addRun([], {}, "other"), home.addRun([], {}, "own")];
    const child = home.addRun([], { parent_run_id: own.id }, "child");
    const inside = async (...args: string[]) => {
      const context = testContext({ env: { ...home.env, COX_RUN_ID: own.id } });
      await runCommand(tree, args, context);
      return context.out().trimEnd().split("\n");
    };
    expect(await inside()).toEqual([`${own.name}  demo  completed  own`, `└─ ${child.name}  demo  completed  child`]);
    expect(await inside(child.id)).toHaveLength(1);
    await expect(inside(other.id)).rejects.toMatchObject({ code: "run.not_found" });
  });

  test("more than one run is misuse", async () => {
    await expect(cox(tree, "a", "b")).rejects.toThrow("cox tree: too many words; usage: cox tree [--all] [RUN]");
  });
});

test("wait tells the end as every other command does", async () => {
  const run = home.addRun([], { status: "failed", reason: "turn_failed", category: "auth", exit_code: 1 });
  expect(await cox(wait, run.id)).toMatchObject({ code: 1, out: `${run.name} failed (auth)\n`, err: "" });
});
