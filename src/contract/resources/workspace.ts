import { z } from "zod";
import { LocalReference, listMap, type ObjectMeta, rules } from "./object.ts";

export const providers = ["github", "gitlab", "other"] as const;
export type Provider = (typeof providers)[number];

const url = (what: string) =>
  z
    .string()
    .max(2048)
    .regex(/^(https?:\/\/|git:\/\/|ssh:\/\/|git@)\S+$/)
    .describe(what);

export const WorkspaceSpec = z.object({
  repo: url("The repository: https://, http://, git://, ssh:// or git@host:path. Never with a password in it."),
  ref: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe("Branch, tag or full commit to start from. Not given: the repository's own default.")
    .meta(rules({ rule: "!self.startsWith('-')", message: "ref can't begin with a dash" })),
  secretRef: LocalReference.optional().describe(
    "A Secret with a token (key GITHUB_TOKEN) or an SSH key (keys ssh-privatekey and known_hosts).",
  ),
  provider: z.enum(providers).optional().describe("What runs at the repository's host. Not given: told by its name."),
  remotes: z
    .array(
      z.object({
        name: z
          .string()
          .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)
          .max(100)
          .describe("Name of the remote.")
          .meta(rules({ rule: "self != 'origin'", message: "origin is the repository itself" })),
        url: url("Where it is."),
      }),
    )
    .max(16)
    .optional()
    .meta(listMap("name"))
    .describe("Further remotes."),
  files: z
    .array(
      z.object({
        path: z
          .string()
          .min(1)
          .max(1024)
          .describe("Relative to the repository.")
          .meta(
            rules({
              rule: "!self.startsWith('/') && !self.contains('\\\\') && self.split('/').all(part, part != '' && part != '.' && part != '..') && !self.startsWith('.git/')",
              message: "path must be a plain relative path inside the repository, with forward slashes, not in .git",
            }),
          ),
        content: z.string().max(524_288).describe("What the file holds."),
      }),
    )
    .max(64)
    .optional()
    .meta(listMap("path"))
    .describe("Files written into the checkout before the agent starts."),
  setupCommand: z
    .array(z.string().max(4096))
    .min(1)
    .max(64)
    .optional()
    .describe("A command, word by word, that runs in the checkout before the agent."),
  submodules: z.boolean().optional().describe("Whether submodules are checked out too."),
  depth: z.number().int().min(0).default(1).describe("How much history is fetched; 0 means all of it."),
});
export type WorkspaceSpec = z.infer<typeof WorkspaceSpec>;

export interface Workspace {
  apiVersion: string;
  kind: "Workspace";
  metadata: ObjectMeta;
  spec: WorkspaceSpec;
}
