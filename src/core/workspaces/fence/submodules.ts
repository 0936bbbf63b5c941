import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "../../../lib/files/within.ts";
import { makeAgentGit, makeEmptyGit, type Shown } from "./agent-git.ts";
import { factsOf, findGit, type PersonsGit } from "./persons/persons-git.ts";

/** Where git directories of submodules are made, and where the agent finds them and their objects. */
interface Places {
  folder: string;
  git: string;
  objects: string;
}

/**
 * A git directory of the agent's own for each submodule that is checked out: without one git would fail in the repository
 * around it. In place of the file that says where it is goes one that says where ours is. What is committed in it stays there.
 */
export async function submoduleGits(
  outer: { workspace: string; person: PersonsGit; gitlinks: readonly string[] },
  places: Places,
  made: Shown[] = [],
): Promise<Shown[]> {
  for (const path of outer.gitlinks) {
    const workspace = join(outer.workspace, path);
    const dotGit = join(workspace, ".git");
    if (!isWithin(workspace, outer.workspace) || !factsOf(dotGit)?.isFile()) continue;
    const number = made.filter(({ write }) => write).length;
    const folder = join(places.folder, String(number));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const pointer = `${folder}.pointer`;
    writeFileSync(pointer, `gitdir: ${places.git}/${number}\n`);
    made.push({ source: folder, target: `${places.git}/${number}`, write: true });
    made.push({ source: pointer, target: dotGit, write: false });
    const person = ownModule(workspace, outer.person);
    if (person === undefined) {
      makeEmptyGit(folder);
      continue;
    }
    const { base, objects } = await makeAgentGit(person, workspace, {
      folder,
      objectsInside: `${places.objects}/module-${number}`,
    });
    made.push(...objects);
    await submoduleGits({ workspace, person, gitlinks: base.gitlinks }, places, made);
  }
  return made;
}

/** Only a part of the person's own repository, where no isolated agent could ever write. */
function ownModule(workspace: string, { gitDir, commonDir }: PersonsGit): PersonsGit | undefined {
  const found = findGit(workspace);
  if (!("git" in found)) return undefined;
  const modules = [join(gitDir, "modules"), join(commonDir, "modules")];
  return modules.some((folder) => isWithin(found.git.gitDir, folder)) ? found.git : undefined;
}
