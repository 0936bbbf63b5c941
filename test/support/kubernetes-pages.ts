import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../src/cluster/kube/resource.ts";
import { root } from "./cox.ts";

const folder = join(root, "docs/user");
export const pages = readdirSync(folder).filter((name) => /^kubernetes.*\.md$/.test(name));

type Manifest = KubeObject & { spec: Record<string, unknown> };

/** Every object in a ```yaml block of the pages about Kubernetes. */
export function documentedManifests(): { page: string; object: Manifest }[] {
  return pages.flatMap((page) => {
    const text = readFileSync(join(folder, page), "utf8");
    const blocks = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, block = ""]) => block);
    return blocks.flatMap((block) =>
      parseAllDocuments(block).map((document) => ({ page, object: document.toJS() as Manifest })),
    );
  });
}
