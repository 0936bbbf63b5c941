import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Screen } from "../../src/core/screens/screen.ts";
import { scene, until } from "../support/cox.ts";

/** The same bytes on the screen of tmux and on ours look the same. */
const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
if (!hasTmux) console.error("terminal-tmux: tmux is not installed, so nothing compares our screen with another's");

const CSI = "\x1b[";
const corpus: Record<string, string> = {
  "plain lines": "one\r\ntwo\r\nthree",
  "a line longer than the screen": `${"0123456789".repeat(9)}|`,
  "a line as long as the screen": `${"x".repeat(80)}\r\nnext`,
  "more lines than rows": Array.from({ length: 60 }, (_, at) => `line ${at}`).join("\r\n"),
  "colours and styles": `${CSI}1;31mred bold${CSI}0m ${CSI}38;5;200mpink${CSI}m ${CSI}48;2;1;2;3mrgb${CSI}0m`,
  "moving about": `${CSI}5;10Hhere${CSI}2Aup${CSI}3Bdown${CSI}10Dleft${CSI}4Cright${CSI}H*`,
  "erasing in a line": `abcdefghij${CSI}5D${CSI}K\r\nabcdefghij${CSI}5D${CSI}1K\r\nabcdefghij${CSI}2Kx`,
  "erasing the screen": `junk\r\njunk${CSI}2J${CSI}Hclean`,
  "erasing below and above": `${"abcde\r\n".repeat(6)}${CSI}3;3H${CSI}J${CSI}2;2H${CSI}1J`,
  "inserting and deleting characters": `abcdef${CSI}3G${CSI}2@XY${CSI}8G${CSI}P`,
  "inserting and deleting lines": `a\r\nb\r\nc\r\nd${CSI}2;1H${CSI}L+${CSI}4;1H${CSI}M`,
  "a scrolling region": `${CSI}3;6r${CSI}6;1H${"x\r\n".repeat(5)}y${CSI}r${CSI}20;1Hend`,
  "scrolling by command": `top\r\nnext\r\nlast${CSI}2S${CSI}1Tz`,
  tabs: "a\tb\tc\r\n\tindented",
  "backspace and carriage return": "abc\b\bX\r\n12345\rab",
  "wide characters": "日本語 text\r\n한국어|\r\n🙂|",
  "combining characters": "e\u0301 a\u0308|",
  "a wide character at the edge": `${"x".repeat(79)}日y`,
  "box drawing": "╭──╮\r\n│ok│\r\n╰──╯",
  "the other screen and back": `before${CSI}?1049h${CSI}Hinside${CSI}?1049lafter`,
  "staying on the other screen": `before${CSI}?1049h${CSI}2;3Hinside`,
  "saving the cursor": `one\x1b7${CSI}10;10Htwo\x1b8three`,
  "no wrapping": `${CSI}?7l${"x".repeat(90)}END${CSI}?7h`,
  "origin mode": `${CSI}5;10r${CSI}?6h${CSI}1;1Horigin${CSI}?6l${CSI}r`,
  "index and reverse index": `a\x1bDb\x1bMc${CSI}H\x1bMtop`,
  repeating: `ab${CSI}3b|`,
  "titles and links are not text": "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b",
  "insert mode": `abc${CSI}2G${CSI}4hXY${CSI}4l`,
  "erase characters": `abcdefgh${CSI}3G${CSI}4X`,
  "column and row by number": `${CSI}7Gseven${CSI}5drow${CSI}2ithen`,
  "a full reset": "junk\x1bcclean",
};

describe.skipIf(!hasTmux)("our screen and tmux's", () => {
  test("show the same", async () => {
    const place = scene();
    const socket = join(mkdtempSync(join(place.folder, "tmux-")), "s");
    const tmux = (...args: string[]) =>
      execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
        encoding: "utf8",
        env: { ...process.env, LANG: "C.UTF-8", TERM: "xterm-256color" },
      });
    onTestFinished(() => void spawnSync("tmux", ["-S", socket, "kill-server"]));
    tmux("new-session", "-d", "-s", "keep", "-x", "80", "-y", "24", "sleep 600");
    for (const [name, bytes] of Object.entries(corpus)) {
      const file = join(place.folder, "bytes");
      writeFileSync(file, bytes);
      tmux(
        "new-window",
        "-d",
        "-n",
        "case",
        `stty -opost -echo; cat ${file}; tmux -S ${socket} wait-for -S done; sleep 600`,
      );
      tmux("wait-for", "done");
      const ours = new Screen({ cols: 80, rows: 24, onReply: () => {}, onPressure: () => {} });
      ours.write(Buffer.from(bytes));
      await ours.settled();
      const lines = ours.snapshot().lines;
      const theirs = () => {
        const shown = tmux("capture-pane", "-p", "-t", "case")
          .split("\n")
          .slice(0, 24)
          .map((line) => line.trimEnd());
        return shown.concat(Array.from({ length: 24 - shown.length }, () => ""));
      };
      // tmux draws a moment later.
      const deadline = performance.now() + 2000;
      await until(() => JSON.stringify(theirs()) === JSON.stringify(lines) || performance.now() > deadline);
      expect.soft(lines, name).toEqual(theirs());
      tmux("kill-window", "-t", "case");
      ours.close();
    }
  });
});
