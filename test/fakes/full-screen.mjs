// A full-screen program: the other screen, raw keys, bracketed paste, the mouse, redrawn when the window changes. q ends it.
const { stdin, stdout } = process;
stdin.setRawMode(true);
stdout.write("\x1b[?1049h\x1b[?2004h\x1b[?1000h\x1b[?25l\x1b[H\x1b[2J");
let keys = 0;
const draw = () => {
  // A bare line feed only moves the cursor down on a terminal in raw mode.
  stdout.write(`\x1b[1;1H\x1b[7m ${stdout.columns} x ${stdout.rows} \x1b[0m\n\x1b[3;1Hready`);
};
stdout.on("resize", draw);
draw();
stdin.on("data", (chunk) => {
  if (chunk.includes("q")) {
    stdout.write("\x1b[?25h\x1b[?1000l\x1b[?2004l\x1b[?1049l");
    process.exit(7);
  }
  keys += 1;
  stdout.write(`\x1b[${4 + keys};1H${keys}: ${chunk.toString("hex")}\x1b[K`);
});
