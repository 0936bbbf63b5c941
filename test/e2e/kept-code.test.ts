import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Scene, scene } from "../support/cox.ts";

/** What calls of `cox` leave for later ones: see src/app/start. */
const keptOf = ({ home }: Scene, command: string): string[] =>
  (existsSync(join(home, "code")) ? readdirSync(join(home, "code")) : [])
    .filter((name) => name.startsWith(`${command}-`))
    .map((name) => join(home, "code", name));

function withHome(): Scene {
  const here = scene();
  mkdirSync(here.home, { mode: 0o700 });
  return here;
}

const list = async (here: Scene) => {
  const { code, stdout, stderr } = await here.cox(["ls"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'no runs; start one with `cox run "…"`\n' });
  return stdout;
};

test("the first call keeps the text of its modules, the second what was compiled of it, the third changes nothing", async () => {
  const here = withHome();
  const sizes: number[] = [];
  for (let call = 0; call < 3; call += 1) {
    await list(here);
    const [path = "", ...others] = keptOf(here, "ls");
    expect(others).toEqual([]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    sizes.push(statSync(path).size);
  }
  expect(sizes[1]).toBeGreaterThan((sizes[0] ?? 0) * 1.2);
  expect(sizes[2]).toBe(sizes[1]);
  expect(statSync(join(here.home, "code")).mode & 0o777).toBe(0o700);
});

test("what was damaged is not believed, and made anew", async () => {
  const here = withHome();
  await list(here);
  await list(here);
  const [path = ""] = keptOf(here, "ls");
  const good = readFileSync(path);
  const flipped = Buffer.from(good);
  flipped[good.length - 1000] = (flipped[good.length - 1000] ?? 0) ^ 4;
  const damages = [flipped, good.subarray(0, 5000), Buffer.alloc(0), Buffer.alloc(good.length), Buffer.from("9 9\n")];
  for (const bytes of damages) {
    writeFileSync(path, bytes);
    await list(here);
    await list(here);
    expect(readFileSync(path).equals(bytes)).toBe(false);
  }
});

test("a state folder that isn't there is not made for it, and of one that others can write to nothing is run", async () => {
  const here = scene();
  await list(here);
  expect(existsSync(here.home)).toBe(false);

  mkdirSync(join(here.home, "code"), { recursive: true, mode: 0o700 });
  await list(here);
  const [path = ""] = keptOf(here, "ls");
  const mark = join(here.folder, "ran");
  const evil = `({"cox.cjs":function(e,require){require("fs").writeFileSync(${JSON.stringify(mark)},"")}})`;
  writeFileSync(path, `${evil.length}\n${evil}${evil}`);
  await here.cox(["ls"]);
  expect(existsSync(mark)).toBe(true); // in a folder that is ours alone it is believed
  rmSync(mark);
  chmodSync(here.home, 0o777);
  const { code, stderr } = await here.cox(["ls"]);
  expect(code).not.toBe(0);
  expect(stderr).toContain("is open to other accounts");
  expect(existsSync(mark)).toBe(false);
});

test("a call that fails leaves nothing, nor does one whose command isn't one", async () => {
  const here = withHome();
  await here.cox(["show", "nosuch"]);
  await here.cox(["../../evil"]);
  expect(existsSync(join(here.home, "code"))).toBe(false);
});

test("a package outside of the bundle is found from what was kept, too, without a word of Node's", async () => {
  const here = withHome();
  for (let call = 0; call < 4; call += 1) {
    const { code, stdout, stderr } = await here.cox(["wrap", "-q", "--", "echo", "hi"]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "hi\n", stderr: "" });
  }
});
