/** Everything in it is a line of a hunk, or what stands above one: nothing would be left out where only hunks are shown. */
export function isAllHunks(unified: string): boolean {
  const lines = unified.split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@ "));
  if (first === -1) return false;
  return (
    lines.slice(0, first).every((line) => line === "" || HEADER.test(line)) &&
    lines.slice(first).every((line) => line === "" || /^(?:[-+ \\]|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)/.test(line))
  );
}

const HEADER =
  /^(?:diff |index |--- |\+\+\+ |Index: |={10}|(?:new|deleted) file mode |(?:old|new) mode |(?:dis)?similarity |(?:rename|copy) (?:from|to) )/;
