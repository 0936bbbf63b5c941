/**
 * Commands that compare with the files ask each submodule whether it changed, by a git in there with the settings of there,
 * which may be an agent's. Said on the command line, because a `.gitmodules` has a say over what is only configured. That
 * another commit is checked out there still counts: for that nothing is run. (`git add` can't be told: see add.ts.)
 */
export function outsideSubmodules(args: readonly string[]): readonly string[] {
  const [verb = "", ...rest] = args;
  return COMPARING.has(verb) ? [verb, "--ignore-submodules=dirty", ...rest] : args;
}

const COMPARING: ReadonlySet<string> = new Set(["status", "diff", "diff-files", "diff-index"]);
