import { describe, expect, test } from "vitest";
import { PendingRequests } from "./pending-requests.ts";

const wording = (answer: object | undefined) => ({ told: answer ?? "nobody" });

describe("what an agent asked", () => {
  test("may be answered before the SDK comes for it, or after", async () => {
    const asked = new PendingRequests();
    for (const id of ["early", "late"]) asked.open(id, wording);
    asked.answer("early", { optionId: "yes" });
    expect(await asked.reply("early")).toEqual({ told: { optionId: "yes" } });
    const reply = asked.reply("late");
    asked.answer("late", { decline: true });
    expect(await reply).toEqual({ told: { decline: true } });
  });

  test("is answered once, and given out once", () => {
    const asked = new PendingRequests();
    asked.open("a", wording);
    asked.answer("a", { optionId: "yes" });
    expect(() => asked.answer("a", { optionId: "no" })).toThrow("request a: not open");
    expect(asked.reply("a")).toBeDefined();
    expect(asked.reply("a")).toBeUndefined();
  });

  test("was never offered: there is no reply", () => {
    expect(new PendingRequests().reply("a")).toBeUndefined();
  });

  test("and is still open is cancelled at once", async () => {
    const asked = new PendingRequests();
    for (const id of ["a", "b", "c"]) asked.open(id, wording);
    asked.answer("a", { optionId: "yes" });
    asked.cancel("b");
    asked.cancelAll();
    const replies = await Promise.all(["a", "b", "c"].map(async (id) => asked.reply(id)));
    expect(replies).toEqual([{ told: { optionId: "yes" } }, { told: "nobody" }, { told: "nobody" }]);
  });
});
