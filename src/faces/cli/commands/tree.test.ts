import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { appendLedger, startRecord } from "../../../core/store/runs/ledger.ts";
import type { CommandSpec } from "../../../lib/command/command.ts";
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
      `${top.id}  demo  completed  top`,
      `├─ ${left.id}  demo  failed (auth)  a title`,
      `│  └─ ${leaf.id}  demo  completed  leaf`,
      `└─ ${right.id}  demo  waiting for you  a title`,
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
    const lines = (await cox(tree, top.id, "--json")).out.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).run_id)).toEqual([top.id, child.id]);
  });

  test("more than one run is misuse", async () => {
    await expect(cox(tree, "a", "b")).rejects.toThrow("cox tree: too many words; usage: cox tree [RUN]");
  });
});

test("wait tells the end as every other command does", async () => {
  const run = home.addRun([], { status: "failed", reason: "turn_failed", category: "auth", exit_code: 1 });
  expect(await cox(wait, run.id)).toMatchObject({ code: 1, out: `${run.id} failed (auth)\n`, err: "" });
});
