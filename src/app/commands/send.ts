import { text } from "node:stream/consumers";
import { messageOf } from "../../contract/errors.ts";
import { command } from "../../lib/command/command.ts";

/** Called by agents: its exit code says what happened, 0 accepted, 1 refused or nobody there, 2 misuse. */
export default command({
  name: "send",
  summary: "Tell the terminal host (COOP_URL) how the agent's work stands, so that it lets the agent stop.",
  usage: "cox send [JSON]",
  words: [0, 1],
  options: {},
  examples: [`cox send '{"status":"done","message":"all tests pass"}'`],
  async run({ positionals }, { env, stdin, stdout, stderr }) {
    const { ask, targetOf } = await import("../../terminal/host/client.ts");
    if (!env.COOP_URL && !env.COOP_SOCKET) {
      stderr.write("cox send: COOP_URL is not set; it works inside a terminal that `cox terminal` hosts\n");
      return 2;
    }
    let body: unknown;
    try {
      body = JSON.parse(positionals[0] ?? (stdin.isTTY ? "{}" : (await text(stdin)) || "{}"));
    } catch (error) {
      stderr.write(`cox send: this is not JSON: ${messageOf(error)}\n`);
      return 2;
    }
    try {
      const { status, text: answer } = await ask(targetOf(undefined, env), "POST", "/stop/resolve", body);
      (status < 300 ? stdout : stderr).write(`${answer}\n`);
      return status < 300 ? 0 : 1;
    } catch (error) {
      stderr.write(`cox send: ${messageOf(error)}\n`);
      return 1;
    }
  },
});
