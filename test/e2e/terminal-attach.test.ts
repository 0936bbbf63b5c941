import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root, scene, until } from "../support/cox.ts";
import { openTerminal } from "../support/terminal.ts";
import { ask, startTerminal } from "../support/terminal-host.ts";

/** `cox attach` on a person's terminal, with a hosted one behind it. */
async function attached(script: string, ...flags: string[]) {
  const place = scene();
  const path = join(place.folder, "host.sock");
  const command = ["sh", "-c", script];
  const host = await startTerminal({ cwd: place.workspace, env: place.env, flags: ["--socket", path], command });
  const args = [process.execPath, join(root, "bin/cox"), "attach", path, ...flags] as const;
  const person = await openTerminal([...args], { cwd: place.workspace, env: place.env, cols: 90, rows: 25 });
  const text = async () => (await ask(`unix:${path}`, "GET", "/api/v1/screen/text")).text;
  return { host, person, path, text };
}

const ECHO = "echo hello; while read line; do echo said $line; stty size; done";

test("shows what is there, types what is typed, fits it to the person's terminal, and leaves it running", async () => {
  const { person, text, path } = await attached(ECHO);
  await person.shows(/hello/);
  person.type("one\r");
  await person.shows(/said one\r\n25 90/);
  person.resize(100, 30);
  await until(async () => (await ask(`unix:${path}`, "GET", "/api/v1/health")).json.terminal_cols === 100);
  person.type("two\r");
  await person.shows(/said two\r\n30 100/);
  person.type("\x1d");
  await person.shows(/detached; the terminal goes on/);
  expect(await person.exited).toEqual({ code: 0 });
  expect(await text()).toContain("said two");
  expect((await ask(`unix:${path}`, "GET", "/api/v1/agent")).json.state).not.toBe("exited");
});

test("ends with the program, and with its code", async () => {
  const { person } = await attached("echo hello; read line; exit 5");
  await person.shows(/hello/);
  person.type("\r");
  expect(await person.exited).toEqual({ code: 5 });
  expect(person.bytes().toString()).toContain("the program has exited with 5");
});

test("--watch only looks", async () => {
  const { person, text, path } = await attached(ECHO, "--watch");
  await person.shows(/hello/);
  person.type("nothing\r");
  await ask(`unix:${path}`, "POST", "/api/v1/input", { body: { text: "something", enter: true } });
  await person.shows(/said something\r\n50 200/);
  expect(await text()).not.toContain("nothing");
  person.type("\x1d");
  expect(await person.exited).toEqual({ code: 0 });
});

test("Ctrl-L draws it anew", async () => {
  const { person } = await attached(ECHO);
  await person.shows(/hello/);
  person.type("\x0c");
  await person.shows(/\x1b\[2J\x1b\[Hhello/);
});

test("comes back when the connection is cut, and types nothing twice", async () => {
  const place = scene();
  const sockets = new Set<Socket>();
  let target = 0;
  const proxy = createServer((socket) => {
    const there = connect(target, "127.0.0.1");
    sockets.add(socket);
    socket.on("error", () => there.destroy()).on("close", () => there.destroy());
    there.on("error", () => socket.destroy()).on("close", () => socket.destroy());
    socket.pipe(there).pipe(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const flags = ["--port", "0", "--names", `127.0.0.1:${port}`];
  const host = await startTerminal({ cwd: place.workspace, env: place.env, flags, command: ["sh", "-c", ECHO] });
  target = Number(new URL(host.url).port);
  const env = { ...place.env, COOP_AUTH_TOKEN: host.token };
  const person = await openTerminal([process.execPath, join(root, "bin/cox"), "attach", `http://127.0.0.1:${port}`], {
    cwd: place.workspace,
    env,
  });
  await person.shows(/hello/);
  person.type("before\r");
  await person.shows(/said before/);
  for (const socket of sockets) socket.destroy();
  await person.shows(/\x1b\[2J\x1b\[Hhello[^]*said before/);
  person.type("after\r");
  await person.shows(/said after/);
  expect((await host.get("/api/v1/screen/text")).text.match(/said before/g)).toHaveLength(1);
});

test("where nobody is it says so at once, and leaves the screen alone", async () => {
  const place = scene();
  const path = join(place.folder, "nobody.sock");
  expect(await place.cox(["attach", path])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: `cox: terminal ${path}: nobody answers; is it running?\n`,
  });
});

test("without the token it says what to do", async () => {
  const place = scene();
  const host = await startTerminal({ cwd: place.workspace, env: place.env, command: ["cat"] });
  const { code, stderr } = await place.cox(["attach", host.url]);
  expect([code, stderr.includes("COOP_AUTH_TOKEN")]).toEqual([1, true]);
  const nobody = await place.cox(["screen", "http://127.0.0.1:1"]);
  expect([nobody.code, nobody.stderr.includes("is it running?")]).toEqual([1, true]);
});
