import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { processesWithEnv, startTimeOf } from "../../lib/process/holders/identity.ts";
import { type Marker, sweep } from "../../lib/process/stop.ts";
import type { AgentProcess } from "../protocols/protocol.ts";
import { type LocalProcess, type LocalSpec, startLocal } from "./local.ts";

const fake = (name: string) => fileURLToPath(new URL(`../../../test/fakes/${name}`, import.meta.url));
/** Each has its own: what ends one tree may still be at it when the next is started. */
const markers: Marker[] = [];
afterAll(async () => {
  for (const marker of markers) await sweep(marker, 0);
});

function newMarker(): Marker {
  const marker = { name: "COX_TEST_LOCAL", value: `${process.pid}-${markers.length}` };
  markers.push(marker);
  return marker;
}

function specIn(folder: string, spec: Partial<LocalSpec> & { file: string }): LocalSpec {
  return {
    args: [],
    cwd: folder,
    env: { PATH: process.env.PATH ?? "" },
    stdoutPath: join(folder, "agent-stdout.txt"),
    stderrPath: join(folder, "agent-stderr.txt"),
    marker: newMarker(),
    ...spec,
  };
}

const start = (spec: Partial<LocalSpec> & { file: string }) => startLocal(specIn(temporaryFolder(), spec));

async function textOf(process: Pick<LocalProcess, "output">): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.output) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1");
}

/** Reads along; `said` waits for the text to match. */
function listen(process: LocalProcess) {
  let text = "";
  const ended = (async () => {
    for await (const chunk of process.output) text += Buffer.from(chunk).toString("latin1");
    return text;
  })();
  return {
    ended,
    said: (what: RegExp) => vi.waitFor(() => expect(text).toMatch(what), { timeout: 10_000, interval: 2 }),
  };
}

describe("a conversation", () => {
  test("goes in by stdin and comes out as a stream, as the protocols want it", async () => {
    const agent: AgentProcess = await start({ file: "/bin/cat" });
    const reading = textOf(agent);
    await agent.write("one\n");
    await agent.write("two\n");
    agent.end();
    expect(await reading).toBe("one\ntwo\n");
    expect(await agent.exited).toEqual({ code: 0 });
    expect(agent.stderrTail()).toBe("");
  });

  test("with the whole stdin given, large as it may be", async () => {
    const stdin = "p".repeat(3_000_000);
    const agent = await start({ file: "/bin/cat", stdin });
    expect((await textOf(agent)).length).toBe(stdin.length);
  });

  test("with an empty stdin, and with one nobody reads", async () => {
    expect(await textOf(await start({ file: "/bin/cat", stdin: "" }))).toBe("");
    const deaf = await start({ file: "/bin/true", stdin: "p".repeat(3_000_000) });
    expect(await textOf(deaf)).toBe("");
    expect(await deaf.exited).toEqual({ code: 0 });
  });

  test("bytes that are no text arrive as they are; stderr is made readable", async () => {
    const agent = await start({ file: fake("binary-noise.sh") });
    expect(await textOf(agent)).toBe("a\0b\xff\xfec\r\n\x1b[31mred\x1b[0m\n\xc3");
    expect(agent.stderrTail()).toBe("warning: bad\ufffd\nlast \ufffd");
  });

  test("names the process it started", async () => {
    const marker = newMarker();
    const agent = await start({ file: "/bin/cat", marker });
    expect(agent.startTime).toBe(startTimeOf(agent.pid));
    expect(agent.pgid).toBe(agent.pid);
    expect(processesWithEnv(marker.name, marker.value)).toContain(agent.pid);
    await agent.stop(1000);
  });
});

describe("the files of the run", () => {
  test("are private and hold everything; a second process appends, and sees only its own", async () => {
    const folder = temporaryFolder();
    const script = "echo $0; echo $0 failed >&2";
    for (const name of ["first", "second"]) {
      const agent = await startLocal(specIn(folder, { file: "/bin/sh", args: ["-c", script, name] }));
      expect(await textOf(agent)).toBe(`${name}\n`);
      expect(agent.stderrTail()).toBe(`${name} failed`);
    }
    expect(readFileSync(join(folder, "agent-stdout.txt"), "utf8")).toBe("first\nsecond\n");
    expect(statSync(join(folder, "agent-stdout.txt")).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "agent-stderr.txt")).mode & 0o777).toBe(0o600);
  });

  test("are not followed when they are links", async () => {
    for (const name of ["agent-stdout.txt", "agent-stderr.txt"]) {
      const folder = temporaryFolder();
      writeFileSync(join(folder, "victim"), "untouched");
      symlinkSync("victim", join(folder, name));
      const spec = specIn(folder, { file: "/bin/echo", args: ["x"] });
      await expect(startLocal(spec)).rejects.toMatchObject({ code: "store.unwritable" });
      expect(readFileSync(join(folder, "victim"), "utf8")).toBe("untouched");
    }
  });

  test("deleted by the agent, they are still read to the end", async () => {
    const folder = temporaryFolder();
    const script = 'echo before; read _; rm "$0/agent-stdout.txt" "$0/agent-stderr.txt"; echo after';
    const agent = await startLocal(specIn(folder, { file: "/bin/sh", args: ["-c", script, folder] }));
    const listener = listen(agent);
    await listener.said(/before/);
    await agent.write("go\n");
    expect(await listener.ended).toBe("before\nafter\n");
    expect(agent.stderrTail()).toBe("");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("cut short by the agent, are reported", async () => {
    const onShrunk = vi.fn();
    const agent = await start({ file: fake("shrinks-stdout.sh"), onShrunk });
    const listener = listen(agent);
    await listener.said(/gone\n/);
    await agent.write("go\n");
    await listener.ended;
    expect(onShrunk).toHaveBeenCalledWith(30, expect.any(Number));
  });

  test.each(["stdout", "stderr"])("may not grow for ever (%s)", async (which) => {
    const agent = await start({ file: fake("floods.sh"), args: [which], maxBytes: 1_000_000 });
    const exit = await agent.exited;
    expect(exit).toEqual({ code: 143, signal: "SIGTERM", reason: "stopped: its output is larger than 1000000 bytes" });
  });
});

describe("nothing is lost", { timeout: 60_000 }, () => {
  const size = 1024 * 1024;
  const expected = Buffer.alloc(size, "0123456789abcdef\n");
  expected.write("END\n", size - 4);
  const hash = createHash("sha256").update(expected).digest("hex");

  test.each(["exited", "killed"])("of 1 MB written in the last instant, 50 times (%s)", async (how) => {
    const run = async () => {
      const agent = await start({ file: process.execPath, args: [fake("writes-and-exits.mjs"), String(size), how] });
      const text = await textOf(agent);
      return createHash("sha256").update(text, "latin1").digest("hex");
    };
    for (let round = 0; round < 25; round += 1) expect(await Promise.all([run(), run()])).toEqual([hash, hash]);
  });

  test("when the output is first listened to after the end", async () => {
    const agent = await start({ file: process.execPath, args: [fake("writes-and-exits.mjs"), String(size), "exited"] });
    await agent.exited;
    expect((await textOf(agent)).length).toBe(size);
  });
});

describe("the end", () => {
  test.each([
    ["0", { code: 0 }],
    ["126", { code: 126 }],
    ["127", { code: 127 }],
    ["SEGV", { code: 139, signal: "SIGSEGV" }],
  ])("by %s is %j", async (how, exit) => {
    const agent = await start({ file: fake("exits-with.sh"), args: [how] });
    expect(await textOf(agent)).toBe("");
    expect(await agent.exited).toEqual(exit);
    expect(agent.stderrTail()).toBe("on stderr");
  });

  test("comes although a child holds stdout, and sweep ends the child", async () => {
    const agent = await start({ file: fake("holds-stdout.sh") });
    const orphan = Number(await textOf(agent));
    expect(await agent.exited).toEqual({ code: 3 });
    expect(startTimeOf(orphan)).toBeDefined();
    await agent.stop(1000);
    expect(startTimeOf(orphan)).toBeUndefined();
  });

  test("comes although a child writes on without end", async () => {
    const agent = await start({ file: fake("chatty-orphan.sh") });
    expect(await textOf(agent)).toContain("last words\n");
    await agent.stop(0);
  });

  test("by stop keeps the last words", async () => {
    const agent = await start({ file: fake("slow-to-end.sh") });
    const listener = listen(agent);
    await listener.said(/ready/);
    expect(await agent.stop(10_000)).toEqual({ code: 7 });
    expect(await listener.ended).toBe("ready\nflushed after 1\n");
  });

  test("leaves no file open, also when nothing could be started", async () => {
    const open = () => readdirSync("/proc/self/fd").length;
    await textOf(await start({ file: "/bin/true" }));
    const before = open();
    for (let round = 0; round < 30; round += 1) {
      await textOf(await start({ file: "/bin/echo", args: ["x"] }));
      await expect(start({ file: "/no/such/agent" })).rejects.toMatchObject({ code: "agent.not_installed" });
    }
    await vi.waitFor(() => expect(open()).toBeLessThanOrEqual(before), 10_000);
  });
});

describe("a program that refuses to write to a file", () => {
  test("gets a pipe; the file is the same", async () => {
    const refused = await start({ file: process.execPath, args: [fake("refuses-file.mjs")] });
    expect(await textOf(refused)).toBe("");
    expect(await refused.exited).toEqual({ code: 3 });
    expect(refused.stderrTail()).toBe("stdout is a regular file");

    const folder = temporaryFolder();
    for (const length of [200_000, 400_000]) {
      const spec = specIn(folder, { file: process.execPath, args: [fake("refuses-file.mjs")], pipeOutput: true });
      const agent = await startLocal(spec);
      expect(await textOf(agent)).toBe("y".repeat(200_000));
      expect(await agent.exited).toEqual({ code: 0 });
      expect(statSync(spec.stdoutPath).size).toBe(length);
    }
  });

  test("ends although a child holds the pipe; the copying ends with the child", async () => {
    const folder = temporaryFolder();
    const agent = await startLocal(specIn(folder, { file: fake("holds-stdout.sh"), pipeOutput: true }));
    const orphan = Number(await textOf(agent));
    expect(orphan).toBeGreaterThan(1);
    await agent.stop(1000);
    expect(startTimeOf(orphan)).toBeUndefined();
    const copiers = () => readdirSync("/proc").filter((pid) => holds(pid, join(folder, "agent-stdout.txt")));
    await vi.waitFor(() => expect(copiers()).toEqual([]), { timeout: 5000 });
  });

  test("that can't be started leaves no copier", async () => {
    const folder = temporaryFolder();
    const spec = specIn(folder, { file: "/no/such/agent", pipeOutput: true });
    await expect(startLocal(spec)).rejects.toMatchObject({ code: "agent.not_installed" });
    const copiers = () => readdirSync("/proc").filter((pid) => holds(pid, spec.stdoutPath));
    await vi.waitFor(() => expect(copiers()).toEqual([]), { timeout: 5000 });
  });
});

/** Whether the process has the file as its stdout. */
function holds(pid: string, path: string): boolean {
  if (!/^\d+$/.test(pid)) return false;
  try {
    return statSync(`/proc/${pid}/fd/1`).ino === statSync(path).ino;
  } catch {
    return false;
  }
}
