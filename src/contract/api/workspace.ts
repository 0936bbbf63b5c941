import { z } from "zod";
import { routes } from "./route.ts";
import { Flag, inRun } from "./values.ts";

const Path = z.string().min(1).max(4096).describe("relative to the workspace");
const Paths = z.array(Path).min(1).max(10_000);

export const FileChangeItem = z.object({
  path: z.string(),
  old_path: z.string().optional(),
  change: z.enum(["create", "modify", "delete", "rename"]),
  added: z.number().int().optional(),
  removed: z.number().int().optional(),
  binary: z.boolean().optional(),
  staged: z.boolean().optional(),
  /** Of its patch: a review mark holds as long as it is the same. */
  hash: z.string(),
  unified: z.string().optional(),
  truncated: z.boolean().optional(),
  reviewed: z.boolean().optional(),
});
export type FileChangeItem = z.infer<typeof FileChangeItem>;

/** The files a run works on. They may be gone: then every one of these says so. */
export const workspaceRoutes = routes({
  "GET /runs/{run}/workspace": {
    tag: "workspace",
    summary: "Folder, branch, base, and whether it is a git repository.",
    access: "read",
    params: inRun,
    result: z.object({
      cwd: z.string(),
      exists: z.boolean(),
      git: z.boolean(),
      branch: z.string(),
      base_branch: z.string(),
      commit: z.string(),
      worktree: z.boolean(),
      gh: z.boolean().describe("a pull request can be made"),
    }),
  },
  "GET /runs/{run}/workspace/tree": {
    tag: "workspace",
    summary: "One folder.",
    access: "read",
    params: inRun,
    query: z.object({ path: z.string().max(4096).default("") }),
    result: z.object({
      entries: z.array(
        z.object({ name: z.string(), type: z.enum(["file", "folder", "link"]), size: z.number().optional() }),
      ),
      truncated: z.boolean(),
    }),
  },
  "GET /runs/{run}/workspace/search": {
    tag: "workspace",
    summary: "Files whose path fits.",
    access: "read",
    params: inRun,
    query: z.object({ text: z.string().max(200), limit: z.coerce.number().int().min(1).max(200).default(20) }),
    result: z.object({ paths: z.array(z.string()) }),
  },
  "GET /runs/{run}/workspace/file": {
    tag: "workspace",
    summary: "A file's bytes, by range, as plain text.",
    access: "read",
    params: inRun,
    query: z.object({ path: Path }),
    result: "file",
  },
  "GET /runs/{run}/workspace/diff": {
    tag: "workspace",
    summary: "What changed: since the run began (default), since HEAD, or in one turn.",
    access: "read",
    params: inRun,
    query: z.object({
      from: z
        .string()
        .regex(/^(start|head|base|turn:\d{1,6})$/)
        .default("start"),
      path: Path.optional(),
      patches: Flag.default(false),
    }),
    result: z.object({ files: z.array(FileChangeItem), added: z.number().int(), removed: z.number().int() }),
  },
  "POST /runs/{run}/workspace/stage": {
    tag: "workspace",
    summary: "Stage files, or take them back.",
    access: "all",
    params: inRun,
    body: z.strictObject({ paths: Paths, staged: z.boolean().default(true) }),
    result: "nothing",
  },
  "POST /runs/{run}/workspace/commit": {
    tag: "workspace",
    summary: "Commit these files, or what is staged.",
    access: "all",
    params: inRun,
    body: z.strictObject({ message: z.string().min(1).max(65536), paths: Paths.optional() }),
    result: z.object({ commit: z.string() }),
  },
  "POST /runs/{run}/workspace/discard": {
    tag: "workspace",
    summary: "Give up changes of these files. A checkpoint is taken first, so that it can be undone.",
    access: "all",
    params: inRun,
    body: z.strictObject({ paths: Paths }),
    result: z.object({ restored: z.array(z.string()), deleted: z.array(z.string()) }),
  },
  "GET /runs/{run}/workspace/checkpoints": {
    tag: "workspace",
    summary: "States of the files that can be gone back to.",
    access: "read",
    params: inRun,
    result: z.object({
      items: z.array(
        z.object({ kind: z.enum(["turn", "undo"]), n: z.number().int(), at: z.string(), commit: z.string() }),
      ),
      redo: z.boolean().describe("whether there is an undo to take back"),
    }),
  },
  "POST /runs/{run}/workspace/undo": {
    tag: "workspace",
    summary: "Reverse what the run did after a turn (0: all of it) and nothing else, or take the last undo back.",
    access: "all",
    params: inRun,
    body: z.strictObject({
      to: z.union([z.literal("redo"), z.int().min(0)]),
      preview: z.boolean().default(false),
      merge: z
        .boolean()
        .default(false)
        .describe("keep what was edited since in the same files; else these are refused"),
    }),
    result: z.object({
      folder: z.string(),
      edited: z.array(z.string()).describe("in a preview: files that it would be refused for"),
      notes: z.array(z.string()).describe("who else may have written what is reversed"),
      changes: z.array(FileChangeItem.pick({ path: true, change: true, added: true, removed: true })),
      left: z.array(z.object({ path: z.string(), why: z.string() })),
      head_was: z.string().optional(),
    }),
  },
  "POST /runs/{run}/workspace/merge": {
    tag: "workspace",
    summary: "Bring the worktree's branch back into its base.",
    access: "all",
    params: inRun,
    body: z
      .strictObject({
        message: z.string().max(65536).optional().describe("commit what is uncommitted first, with this message"),
        how: z.enum(["rebase", "merge", "ff"]).default("rebase"),
      })
      .prefault({}),
    result: z.object({
      commit: z.string(),
      into: z.string(),
      left_out: z.array(z.string()).describe("repositories among the files: what they hold is not in it"),
    }),
  },
  "POST /runs/{run}/workspace/pull-request": {
    tag: "workspace",
    summary: "Push the branch and open a pull request with gh.",
    access: "all",
    params: inRun,
    body: z.strictObject({
      title: z.string().min(1).max(300),
      body: z.string().max(65536).default(""),
      draft: z.boolean().default(false),
    }),
    result: z.object({ url: z.string() }),
  },
});

const Comment = z.object({
  id: z.string(),
  path: z.string(),
  line: z.number().int(),
  side: z.enum(["old", "new"]),
  text: z.string(),
  at: z.string(),
  by: z.string(),
  /** The line as it was, so that the agent finds it again. */
  quote: z.string(),
});

export const reviewRoutes = routes({
  "PUT /runs/{run}/review/marks": {
    tag: "review",
    summary: "Mark a file as reviewed, as it is now (its diff's hash), or take the mark back.",
    access: "all",
    params: inRun,
    body: z.strictObject({ path: Path, hash: z.string().max(128), reviewed: z.boolean() }),
    result: "nothing",
  },
  "GET /runs/{run}/review/comments": {
    tag: "review",
    summary: "Comments that are not sent yet.",
    access: "read",
    params: inRun,
    result: z.object({ items: z.array(Comment) }),
  },
  "POST /runs/{run}/review/comments": {
    tag: "review",
    summary: "Comment on a line of the diff.",
    access: "all",
    params: inRun,
    body: z.strictObject({
      path: Path,
      line: z.int().min(1),
      side: z.enum(["old", "new"]).default("new"),
      text: z.string().min(1).max(65536),
      quote: z.string().max(2000).default(""),
    }),
    result: Comment,
    creates: true,
  },
  "DELETE /runs/{run}/review/comments/{comment}": {
    tag: "review",
    summary: "Drop a comment.",
    access: "all",
    params: inRun.extend({ comment: z.string().regex(/^[\w-]{1,64}$/) }),
    result: "nothing",
  },
  "POST /runs/{run}/review/send": {
    tag: "review",
    summary: "Send all comments to the agent in one message: the task is sent back.",
    access: "all",
    params: inRun,
    body: z.strictObject({ text: z.string().max(65536).default("") }).prefault({}),
    result: z.object({ run_id: z.string(), comments: z.number().int() }),
  },
});
