import { text } from "node:stream/consumers";
import { secrets, workspaces } from "../../../cluster/kube/resource.ts";
import { type Creation, createObjects, createOptions } from "../../../cluster/tasks/create-object.ts";
import { secretOf } from "../../../cluster/tasks/secret.ts";
import { invalid, requireName } from "../../../cluster/tasks/task-spec.ts";
import { AppError } from "../../../contract/errors.ts";
import { API_VERSION } from "../../../contract/resources/names.ts";
import { providers, WorkspaceSpec } from "../../../contract/resources/workspace.ts";
import { command } from "../../../lib/command/command.ts";

const spec = command({
  name: "k8s create workspace",
  summary: "Create a Workspace: a repository that agents work in.",
  usage: "cox k8s create workspace NAME --repo URL [options]",
  words: [1, 1],
  options: {
    repo: { value: "URL", help: "https://, ssh:// or git@host:path" },
    ref: { value: "REF", help: "branch, tag or commit to start from; default: the repository's own" },
    secret: { value: "NAME", help: "Secret with a token (GITHUB_TOKEN) or an SSH key (ssh-privatekey, known_hosts)" },
    token: { help: "read a token from stdin and keep it in a Secret NAME-credentials" },
    remote: { value: "NAME=URL", repeat: true, help: "a further remote (repeatable)" },
    setup: {
      value: "WORD",
      repeat: true,
      help: "a word of the command that runs before the agent (repeatable, in order)",
    },
    provider: { value: "NAME", help: `${providers.join(", ")}; default: told by the host` },
    submodules: { help: "check them out too" },
    depth: { value: "N", help: "how much history (1; 0: all)" },
    ...createOptions,
  },
  examples: [
    "cox k8s create workspace app --repo https://github.com/me/app.git --ref main",
    "gh auth token | cox k8s create workspace app --repo https://github.com/me/app.git --token",
    "cox k8s create workspace app --repo git@example.org:app.git --setup npm --setup ci",
  ],
  async run({ values, positionals }, context) {
    const name = requireName(positionals[0] ?? "");
    if (values.repo === undefined) throw new AppError("usage.invalid", `cox ${spec.name}: --repo URL is missing`);
    if (values.token && values.secret !== undefined)
      throw new AppError("usage.invalid", `cox ${spec.name}: give --secret or --token, not both`);
    const token = values.token ? (await text(context.stdin)).trim() : undefined;
    if (token === "") throw new AppError("usage.invalid", `cox ${spec.name}: --token: stdin is empty`);
    const secret = token === undefined ? values.secret : `${name}-credentials`;
    const { repo, ref, provider, submodules } = values;
    const wanted = {
      repo,
      ...(ref === undefined ? {} : { ref }),
      ...(secret === undefined ? {} : { secretRef: { name: secret } }),
      ...(provider === undefined ? {} : { provider }),
      ...(values.remote === undefined ? {} : { remotes: values.remote.map(remoteOf) }),
      ...(values.setup === undefined ? {} : { setupCommand: values.setup }),
      ...(submodules ? { submodules } : {}),
      ...(values.depth === undefined ? {} : { depth: Number(values.depth) }),
    };
    const parsed = WorkspaceSpec.safeParse(wanted);
    if (!parsed.success) throw invalid(parsed.error.issues);
    const make = (namespace: string): Creation[] => [
      ...(token === undefined
        ? []
        : [
            {
              resource: secrets,
              object: secretOf(`${name}-credentials`, namespace, { GITHUB_TOKEN: token }),
            },
          ]),
      {
        resource: workspaces,
        object: { apiVersion: API_VERSION, kind: "Workspace", metadata: { name, namespace }, ...{ spec: wanted } },
      },
    ];
    return createObjects(make, values, context);
  },
});
export default spec;

function remoteOf(pair: string): { name: string; url: string } {
  const at = pair.indexOf("=");
  if (at > 0) return { name: pair.slice(0, at), url: pair.slice(at + 1) };
  throw new AppError("usage.invalid", `--remote ${JSON.stringify(pair)}: use NAME=URL`);
}
