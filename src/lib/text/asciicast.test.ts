import { describe, expect, test } from "vitest";
import { CastOutput, castHeader, castResize, parseCastEvent, parseCastHeader } from "./asciicast.ts";

const outputOf = (lines: readonly string[]) =>
  lines.flatMap((line) => (line === "" ? [] : (JSON.parse(line) as [number, string, string])[2])).join("");

describe("asciicast v2", () => {
  test("begins with a header that asciinema knows", () => {
    const text = castHeader({ width: 80, height: 24, timestamp: 1700000000, command: "vim", env: { TERM: "xterm" } });
    expect(text).toBe(
      '{"version":2,"width":80,"height":24,"timestamp":1700000000,"command":"vim","env":{"TERM":"xterm"}}\n',
    );
    expect(parseCastHeader(text)).toMatchObject({ width: 80, height: 24, timestamp: 1700000000 });
  });

  test("goes on with one event per line", () => {
    expect(new CastOutput().output(1.23456789, Buffer.from('a"\r\n\x1b[0m'))).toBe(
      '[1.234568,"o","a\\"\\r\\n\\u001b[0m"]\n',
    );
    expect(castResize(2, 100, 30)).toBe('[2,"r","100x30"]\n');
  });

  test("characters that come in pieces are whole, wherever they are cut", () => {
    const text = "aé€😀z\u2028";
    const bytes = Buffer.from(text);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const cast = new CastOutput();
      const lines = [cast.output(0, bytes.subarray(0, cut)), cast.output(1, bytes.subarray(cut)), cast.end(2)];
      expect(outputOf(lines)).toBe(text);
    }
  });

  test("bytes that are no text don't break the file", () => {
    const cast = new CastOutput();
    const lines = [
      cast.output(0, Buffer.from([0x61, 0xff, 0x62])),
      cast.output(1, Buffer.from([0xf0, 0x9f])),
      cast.end(2),
    ];
    expect(outputOf(lines)).toBe("a\ufffdb\ufffd");
  });

  test("what was printed for a file gets the carriage returns of a terminal", () => {
    expect(outputOf([new CastOutput({ bareLines: true }).output(0, Buffer.from("a\nb\r\nc"))])).toBe("a\r\nb\r\nc");
    expect(outputOf([new CastOutput().output(0, Buffer.from("a\nb"))])).toBe("a\nb");
  });

  test("is read back", () => {
    expect(parseCastEvent('[1.5,"o","hi"]')).toEqual({ time: 1.5, type: "output", text: "hi" });
    expect(parseCastEvent('[2,"r","100x30"]')).toEqual({ time: 2, type: "resize", width: 100, height: 30 });
  });

  test.each(['[1.5,"i","typed"]', '[1.5,"o","cut o', "", "{}", '[1,"r","wide"]', '["1","o","x"]'])(
    "%s shows nothing",
    (line) => {
      expect(parseCastEvent(line)).toBeUndefined();
    },
  );

  test.each(['{"version":1,"width":80,"height":24}', "[]", "null", "", '{"version":2}'])("%s is no header", (line) => {
    expect(parseCastHeader(line)).toBeUndefined();
  });
});
