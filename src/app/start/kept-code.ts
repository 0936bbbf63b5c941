import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Script } from "node:vm";
import { asFunction, type ModuleFunction, textOf } from "./modules.ts";

declare const COX_BUILD: string;

/** What an earlier call left: a line that says how long the text of its modules is, that text, what V8 made of it; all but the line twice. */
export interface Kept {
  functions: Record<string, ModuleFunction | undefined>;
  /** Of `text`; it knows what was compiled of it meanwhile. */
  script: Script;
  text: string;
  /** Whether V8 could use what it had made of it before. */
  isCompiled: boolean;
}

/**
 * One file per command and build, in the state folder: nobody else can write there, or it isn't used. `undefined` where nothing
 * can be kept; a folder that isn't there yet is not made for this.
 */
export function keptPath(command: string, env: NodeJS.ProcessEnv, main: string): string | undefined {
  if (!/^[a-z][a-z0-9-]{0,20}$/.test(command)) return undefined;
  const home = env.COX_HOME ? resolve(env.COX_HOME) : homedir() && join(homedir(), ".coxswain");
  if (!home || !isOurs(home)) return undefined;
  const { size, mtimeMs } = statSync(main);
  return join(home, "code", `${command}-${COX_BUILD}-${process.version}-${size.toString(36)}${mtimeMs.toString(36)}`);
}

/** Looked at before anything else of ours runs, so without our own words for it: whoever reads from there says what is wrong. */
function isOurs(folder: string): boolean {
  try {
    const own = process.getuid?.();
    const facts = statSync(folder);
    return facts.uid === own && (facts.mode & 0o077) === 0 && lstatSync(folder).uid === own;
  } catch {
    return false;
  }
}

export function openKept(path: string, dist: string): Kept | undefined {
  try {
    const bytes = readFileSync(path);
    const end = bytes.indexOf("\n") + 1;
    const middle = (end + bytes.length) / 2;
    // V8 believes what it is given: of a file that lost a bit it would make a program that does something else, or hangs. Two copies
    // are compared in a tenth of the time that a digest takes.
    if (end === 0 || bytes.compare(bytes, end, middle, middle) !== 0) return undefined;
    const textLength = Number(bytes.toString("latin1", 0, end));
    const codeLength = middle - end - textLength;
    if (!(codeLength >= 0)) return undefined;
    const text = bytes.toString("latin1", end, end + textLength);
    const cachedData = codeLength === 0 ? undefined : bytes.subarray(end + textLength, middle);
    const script = new Script(text, { filename: join(dist, "kept"), cachedData });
    const isCompiled = cachedData !== undefined && script.cachedDataRejected === false;
    return { functions: script.runInThisContext(), script, text, isCompiled };
  } catch {
    return undefined; // not there, or not usable: then everything is loaded from where it was installed
  }
}

/**
 * First the modules that were loaded, then, from a call that ran them from here, what was compiled of them. So it takes two
 * calls, and two more when one needs modules that none before it did. Nobody depends on it: what can't be written isn't.
 */
export function saveKept(path: string, kept: Kept | undefined, dist: string, loaded: readonly string[]): void {
  const missing = loaded.filter((name) => kept?.functions[name] === undefined);
  if (kept?.isCompiled && missing.length === 0) return;
  try {
    if (kept !== undefined && missing.length === 0) return write(path, kept.text, kept.script.createCachedData());
    const names = new Set([...Object.keys(kept?.functions ?? {}), ...loaded]);
    const members = [...names].map((name) => `${JSON.stringify(name)}:${asFunction(textOf(join(dist, name)))}`);
    write(path, `({${members.join(",\n")}})`, Buffer.alloc(0));
  } catch {
    // A full disk, or files that a newer version replaced: the next call tries again.
  }
}

/** Whether this process still holds a run: its claim says who it is. */
export function hostsRun(path: string): boolean {
  const hosts = join(dirname(path), "../hosts");
  try {
    const claims = readdirSync(hosts).filter((name) => name.endsWith(".json"));
    return claims.some((name) => readFileSync(join(hosts, name), "latin1").includes(`"pid":${process.pid},`));
  } catch {
    return false; // a claim went while we looked: perhaps our own
  }
}

const DAYS_30 = 30 * 24 * 3600_000;

function write(path: string, text: string, code: Buffer): void {
  const folder = dirname(path);
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 }); // not the state folder: somebody may have deleted that meanwhile
  for (const name of readdirSync(folder)) {
    const other = join(folder, name);
    if (!name.includes(COX_BUILD) && statSync(other).mtimeMs < Date.now() - DAYS_30) rmSync(other, { force: true });
  }
  const parts = Buffer.concat([Buffer.from(text, "latin1"), code]);
  const temporary = `${path}.${process.pid}`;
  try {
    writeNew(temporary, Buffer.concat([Buffer.from(`${text.length}\n`), parts, parts]));
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true }); // half of it, on a full disk
  }
}

function writeNew(path: string, bytes: Buffer): void {
  const fd = openSync(path, "wx", 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
