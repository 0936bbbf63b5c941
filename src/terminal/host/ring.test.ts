import { expect, test } from "vitest";
import { ByteRing } from "./ring.ts";

const text = (ring: ByteRing, offset: number, limit?: number) => ring.read(offset, limit).data.toString();

test("keeps the last bytes, each at its place", () => {
  const ring = new ByteRing(8);
  ring.write(Buffer.from("abcde"));
  expect([text(ring, 0), ring.total, ring.oldest]).toEqual(["abcde", 5, 0]);
  ring.write(Buffer.from("fghijk"));
  expect([text(ring, 0), ring.total, ring.oldest]).toEqual(["defghijk", 11, 3]);
  expect(ring.read(0).offset).toBe(3);
  expect(text(ring, 5, 2)).toBe("fg");
});

test("a piece larger than the ring leaves its end", () => {
  const ring = new ByteRing(4);
  ring.write(Buffer.from("xy"));
  ring.write(Buffer.from("0123456789"));
  expect([text(ring, 0), ring.total, ring.oldest]).toEqual(["6789", 12, 8]);
});

test("beyond the end, and with nothing wanted, there is nothing", () => {
  const ring = new ByteRing(4);
  ring.write(Buffer.from("ab"));
  expect(ring.read(99)).toEqual({ data: Buffer.alloc(0), offset: 2 });
  expect(text(ring, 0, 0)).toBe("");
});

test("what was read stays as it was", () => {
  const ring = new ByteRing(4);
  ring.write(Buffer.from("abcd"));
  const { data } = ring.read(0);
  ring.write(Buffer.from("efgh"));
  expect(data.toString()).toBe("abcd");
});

test("agrees with the whole of it, however it was written", () => {
  const ring = new ByteRing(97);
  let whole = Buffer.alloc(0);
  for (let at = 0; at < 300; at += 1) {
    const chunk = Buffer.from(Array.from({ length: (at * 13) % 150 }, (_, byte) => (at + byte) % 256));
    ring.write(chunk);
    whole = Buffer.concat([whole, chunk]);
    expect(ring.read(0).data).toEqual(whole.subarray(-97));
    expect(ring.read(whole.length - 10, 5).data).toEqual(whole.subarray(-10).subarray(0, 5));
  }
});
