import { describe, expect, test } from "vitest";
import { type Layer, layersOf, placesInWritable, type View } from "./layers.ts";
import { asItIs } from "./mount.ts";

const home = { source: "/state/runs/1/home", target: "/home/ann", write: true };
const view = (fields: Partial<View>): View => ({
  system: [asItIs("/usr", false), asItIs("/data", false)],
  scratch: ["/tmp"],
  mounts: [home],
  secret: [],
  needed: [],
  ...fields,
});

const word = (layer: Layer) => {
  if ("link" in layer) return `${layer.target} -> ${layer.link}`;
  if ("empty" in layer) return `${layer.target} empty`;
  const from = layer.source === layer.target ? "" : ` = ${layer.source}`;
  return `${layer.target}${from}${layer.write ? " rw" : ""}`;
};
const words = (fields: Partial<View>) => layersOf(view(fields)).map(word);
const always = ["/data", "/home/ann = /state/runs/1/home rw", "/tmp empty", "/usr"];

describe("layers", () => {
  const cases: Record<string, [fields: Partial<View>, expected: string[]]> = {
    "go from the outside in, whoever wants them": [
      { mounts: [asItIs("/home/ann/project", true), home, asItIs("/tmp/x", true)] },
      ["/data", "/home/ann = /state/runs/1/home rw", "/home/ann/project rw", "/tmp empty", "/tmp/x rw", "/usr"],
    ],
    "of a name that another begins with stay apart": [
      { mounts: [asItIs("/data-2", true), asItIs("/data/x", true)] },
      ["/data-2 rw", "/data", "/data/x rw", "/tmp empty", "/usr"],
    ],
    "that the person wants win over the system's": [
      { mounts: [asItIs("/data", true)] },
      ["/data rw", "/tmp empty", "/usr"],
    ],
    "of a link stay a link": [
      { system: [{ target: "/bin", link: "usr/bin" }], mounts: [] },
      ["/bin -> usr/bin", "/tmp empty"],
    ],
  };
  test.each(Object.entries(cases))("%s", (_, [fields, expected]) => {
    expect(words(fields)).toEqual(expected);
  });
});

describe("a secret", () => {
  const cases: Record<string, [secret: string, mounts: View["mounts"], expected: string[]]> = {
    "nobody shows needs nothing": ["/home/ann/.state", [home], always],
    "in the system is emptied": ["/data/state", [home], ["/data", "/data/state empty", ...always.slice(1)]],
    "in the workspace is emptied": [
      "/home/ann/p/state",
      [home, asItIs("/home/ann/p", true)],
      [...always.slice(0, 2), "/home/ann/p rw", "/home/ann/p/state empty", "/tmp empty", "/usr"],
    ],
    "is emptied under every name that a mount gives it": [
      "/data/state",
      [{ source: "/data", target: "/mnt/other", write: false }],
      ["/data", "/data/state empty", "/mnt/other = /data", "/mnt/other/state empty", "/tmp empty", "/usr"],
    ],
    "is emptied even where it is mounted itself": [
      "/data/state",
      [asItIs("/data/state", true)],
      ["/data", "/data/state empty", "/tmp empty", "/usr"],
    ],
    "shows no more than a workspace inside it": [
      "/data/state",
      [asItIs("/data/state/worktrees/t", true)],
      ["/data", "/data/state empty", "/data/state/worktrees/t rw", "/tmp empty", "/usr"],
    ],
  };
  test.each(Object.entries(cases))("%s", (_, [secret, mounts, expected]) => {
    expect(words({ secret: [secret], mounts })).toEqual(expected);
  });
});

test("what is needed is shown where nothing shows it, and never made read-only in the workspace", () => {
  const mounts = [home, asItIs("/home/ann/p", true)];
  const needed = ["/usr/bin", "/home/ann/.nvm/bin", "/home/ann/p/node", "/run/resolv.conf"];
  const shown = words({ mounts, needed }).filter((line) => !line.includes("rw") && !line.includes("empty"));
  expect(shown).toEqual(["/data", "/home/ann/.nvm/bin", "/run/resolv.conf", "/usr"]);
});

test("places to be made in what the agent may write to are known by their path outside", () => {
  const layers = layersOf(view({ mounts: [home, asItIs("/home/ann/p", true)], needed: ["/home/ann/.nvm/bin"] }));
  expect(placesInWritable(layers)).toEqual([
    { folder: "/state/runs/1/home", path: "/state/runs/1/home/.nvm/bin" },
    { folder: "/state/runs/1/home", path: "/state/runs/1/home/p" },
  ]);
});
