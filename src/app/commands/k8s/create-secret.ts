import { text } from "node:stream/consumers";
import { secrets } from "../../../cluster/kube/resource.ts";
import { createObjects, createOptions } from "../../../cluster/tasks/create-object.ts";
import { secretOf } from "../../../cluster/tasks/secret.ts";
import { requireName } from "../../../cluster/tasks/task-spec.ts";
import { AppError } from "../../../contract/errors.ts";
import { bundledAgentTypes, credentialVariable } from "../../../contract/resources/agent-types.ts";
import { command } from "../../../lib/command/command.ts";

const { "dry-run": _, ...options } = createOptions; // printing it would print the key

const spec = command({
  name: "k8s create secret",
  summary:
    "Keep an agent's key in a Secret, under the name of the variable the agent finds it in. The key comes from stdin.",
  usage: "cox k8s create secret NAME --type TYPE [options] < KEY",
  words: [1, 1],
  options: {
    type: { short: "t", value: "TYPE", help: `whose key: ${bundledAgentTypes.join(", ")}` },
    oauth: { help: "it is an account's token (codex: its auth.json), not an API key" },
    ...options,
  },
  examples: ['printf %s "$ANTHROPIC_API_KEY" | cox k8s create secret coxswain-claude-code --type claude-code'],
  async run({ values, positionals }, context) {
    const name = requireName(positionals[0] ?? "");
    const variable = credentialVariable(values.type ?? "", values.oauth ? "oauth" : "api-key");
    if (variable === undefined)
      throw new AppError("usage.invalid", `cox ${spec.name}: --type: say ${bundledAgentTypes.join(", ")}`);
    if (context.stdin.isTTY)
      throw new AppError(
        "usage.invalid",
        `cox ${spec.name}: the key comes from stdin: printf %s "$${variable}" | cox k8s create secret …`,
      );
    const key = (await text(context.stdin)).trim();
    if (key === "") throw new AppError("usage.invalid", `cox ${spec.name}: stdin is empty; is the variable set?`);
    const make = (namespace: string) => [{ resource: secrets, object: secretOf(name, namespace, { [variable]: key }) }];
    return createObjects(make, values, context);
  },
});
export default spec;
