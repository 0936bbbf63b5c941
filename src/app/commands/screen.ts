import { command } from "../../lib/command/command.ts";

export default command({
  name: "screen",
  summary: "Print what a hosted terminal shows now.",
  usage: "cox screen [URL|SOCKET|ID]",
  words: [0, 1],
  options: {
    color: { help: "with its colours" },
    json: { help: "print all that is known of the screen as JSON" },
  },
  examples: ["cox screen /tmp/me.sock", "COOP_AUTH_TOKEN=SECRET cox screen http://127.0.0.1:8080"],
  async run({ values, positionals }, { env, stdout }) {
    const { askOk, targetOf } = await import("../../terminal/host/client.ts");
    const text = await askOk(targetOf(positionals[0], env), "GET", "/screen?cursor=true");
    if (values.json) {
      stdout.write(`${text}\n`);
      return 0;
    }
    const screen: { lines: string[]; ansi?: string[] } = JSON.parse(text);
    const lines = [...(values.color ? (screen.ansi ?? screen.lines) : screen.lines)];
    while (lines.at(-1) === "") lines.pop();
    stdout.write(lines.map((line) => `${line}\n`).join(""));
    return 0;
  },
});
