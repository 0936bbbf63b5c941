import { AppError } from "../../contract/errors.ts";
import { command } from "../../lib/command/command.ts";

const spec = command({
  name: "input",
  summary: "Type into a hosted terminal: a text with Enter behind it, or keys by their names.",
  usage: "cox input [--to URL|SOCKET|ID] TEXT | --keys K",
  options: {
    to: { value: "WHERE", help: "the terminal (COOP_URL, COOP_SOCKET)" },
    keys: { value: "K", repeat: true, help: "keys, for example escape, up, ctrl-c; several with blanks between them" },
    "no-enter": { help: "without Enter" },
    nudge: { help: "as a prompt for the agent: waits until it can take it" },
  },
  examples: ['cox input --to /tmp/me.sock "ls -l"', "cox input --to /tmp/me.sock --keys 'up enter'"],
  async run({ values, positionals }, { env, stderr }) {
    const { askOk, targetOf } = await import("../../terminal/host/client.ts");
    const target = targetOf(values.to, env);
    const text = positionals.join(" ");
    if ((values.keys === undefined) === (positionals.length === 0)) {
      throw new AppError("usage.invalid", `cox input: a text or --keys, one of them; usage: ${spec.usage}`);
    }
    if (values.keys !== undefined) {
      const keys = values.keys.flatMap((word) => word.split(/[\s,]+/)).filter((key) => key !== "");
      await askOk(target, "POST", "/input/keys", { keys });
      return 0;
    }
    if (!values.nudge) {
      await askOk(target, "POST", "/input", { text, enter: !values["no-enter"] });
      return 0;
    }
    const nudged: { delivered: boolean; reason?: string } = JSON.parse(
      await askOk(target, "POST", "/agent/nudge", { message: text }),
    );
    if (!nudged.delivered) stderr.write(`cox: not delivered: ${nudged.reason}\n`);
    return nudged.delivered ? 0 : 1;
  },
});
export default spec;
