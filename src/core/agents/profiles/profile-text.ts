import type { Document, LineCounter } from "yaml";
import type { z } from "zod";
import { AppError } from "../../../contract/errors.ts";
import { describeIssue } from "../registry/issue.ts";
import { Profile, profileKeys } from "./profile.ts";

/**
 * A profile as the person wrote it. Strict: a misspelt key would be a wish that silently doesn't hold. What is wrong is said
 * with its line. The YAML library is loaded by those who have profiles, not by everybody.
 */
export async function parseProfile(file: string, text: string): Promise<Profile> {
  const { parseDocument, LineCounter } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken !== undefined) throw invalid(file, lines.linePos(broken.pos[0]).line, broken.message);
  const data: unknown = document.toJS();
  const result = Profile.safeParse(data);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue === undefined) throw new AppError("internal", `${file}: refused without a reason`);
  const known = isUnknownKeyAtTop(issue) ? `; known are ${profileKeys.join(", ")}` : "";
  throw invalid(file, await lineOf(issue, document, lines), describeIssue(issue, data) + known);
}

type Issue = z.core.$ZodIssue;

const isUnknownKeyAtTop = (issue: Issue) => issue.code === "unrecognized_keys" && issue.path.length === 0;

/** Of the value that is wrong, or of the key that shouldn't be there. */
async function lineOf(issue: Issue, document: Document, lines: LineCounter): Promise<number | undefined> {
  const { isMap, isNode, isScalar } = await import("yaml");
  const value = issue.path.length === 0 ? document.contents : document.getIn(issue.path, true);
  const unknown = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const pairs = isMap(value) ? value.items : [];
  const key = pairs.map((pair) => pair.key).find((key) => isScalar(key) && key.value === unknown);
  const node = unknown === undefined ? value : key;
  const start = isNode(node) ? node.range?.[0] : undefined;
  return start === undefined ? undefined : lines.linePos(start).line;
}

function invalid(file: string, line: number | undefined, why: string): AppError {
  const message = line === undefined ? `${file}: ${why}` : `${file}: line ${line}: ${why}`;
  return new AppError("config.invalid", message, { file, line });
}
