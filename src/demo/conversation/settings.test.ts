import { describe, expect, test } from "vitest";
import { changed, initialSettings, type Mode, verdict } from "./settings.ts";

describe("who has to be asked", () => {
  const table: Record<Mode, [read: string, edit: string, execute: string]> = {
    default: ["allow", "ask", "ask"],
    "accept-edits": ["allow", "allow", "ask"],
    yolo: ["allow", "allow", "allow"],
    plan: ["allow", "refuse", "refuse"],
  };
  test.each(Object.entries(table) as [Mode, string[]][])("in mode %s", (mode, expected) => {
    const none = new Set<never>();
    expect([verdict(mode, "read", none), verdict(mode, "edit", none), verdict(mode, "execute", none)]).toEqual(
      expected,
    );
  });

  test("always means always for that kind, but not in plan mode", () => {
    const always = new Set(["edit"] as const);
    expect(verdict("default", "edit", always)).toBe("allow");
    expect(verdict("default", "execute", always)).toBe("ask");
    expect(verdict("plan", "edit", always)).toBe("refuse");
  });
});

test("an option changes to a value it has, and to no other", () => {
  expect(changed(initialSettings, "mode", "plan")).toEqual({ mode: "plan", model: "demo-fast" });
  expect(changed(initialSettings, "model", "demo-smart")).toEqual({ mode: "default", model: "demo-smart" });
  expect(changed(initialSettings, "model", "plan")).toBeUndefined();
  expect(changed(initialSettings, "effort", "high")).toBeUndefined();
});
