/**
 * `npm run dev`: the program is bundled again at every change, the server restarted with it, and the page served from its sources
 * by Vite, which sends what the page asks of the API on to the server. One bundle for all, because the server starts `bin/cox` for
 * every run: what runs is always what was saved last. Ctrl-C ends all of it, and no run.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer as createListener } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build, createServer, type Rolldown } from "vite";

const root = join(import.meta.dirname, "..");
const cox = join(root, "bin/cox");
/** Not the developer's own runs: code that is being written may spoil what it touches. */
const home = process.env.COX_HOME ?? join(homedir(), ".coxswain-dev");

const serverPort = await freePort();
const page = await servePage(serverPort);
const server = keepServing(page.port, serverPort);
const program = await bundleProgram(server.restart);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void stop());

async function stop(): Promise<void> {
  await Promise.all([server.stop(), page.close(), program.close()]);
  process.exit(0);
}

/** Chosen once: the browser's cookie is for this port. */
async function freePort(): Promise<number> {
  const listener = createListener().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return port;
}

/** Without the page's content policy: Vite's own scripts and styles stand in the page. */
async function servePage(to: number): Promise<{ port: number; close: () => Promise<void> }> {
  const vite = await createServer({
    configFile: join(root, "vite.web.config.ts"),
    root: join(root, "web"),
    server: { host: "127.0.0.1", proxy: { "/api": { target: `http://127.0.0.1:${to}`, ws: true } } },
  });
  await vite.listen();
  const address = vite.httpServer?.address();
  if (typeof address !== "object" || address === null) throw new Error("Vite has no address");
  return { port: address.port, close: () => vite.close() };
}

/** Calls back after every bundle that worked; Vite tells what is broken. */
async function bundleProgram(bundled: () => void): Promise<Rolldown.RolldownWatcher> {
  const watcher = (await build({
    configFile: join(root, "vite.config.ts"),
    logLevel: "warn",
    // A run that lives on still loads the chunks it was started with.
    build: { watch: {}, emptyOutDir: false, minify: false, license: false },
  })) as Rolldown.RolldownWatcher;
  watcher.on("event", (event) => {
    if (event.code === "ERROR") say("the program doesn't build; the server stays as it was");
    if (event.code === "BUNDLE_END") void event.result.close().then(bundled);
  });
  return watcher;
}

/** One server at a time; a change while it restarts makes it restart once more. */
function keepServing(pagePort: number, port: number): { restart: () => void; stop: () => Promise<void> } {
  const args = [cox, "serve", "--no-open", "--port", `${port}`, "--allow-host", `127.0.0.1:${pagePort}`];
  let child: ChildProcess | undefined;
  let last = Promise.resolve();
  let hasGreeted = false;

  const start = () => {
    child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, COX_HOME: home },
      stdio: ["ignore", "pipe", "inherit"],
    });
    // The first line is its address, with a key that signs a browser in.
    createInterface({ input: child.stdout as NonNullable<ChildProcess["stdout"]> }).once("line", (address) => {
      const key = new URL(address).hash;
      say(hasGreeted ? "the server has the change" : `the page: http://127.0.0.1:${pagePort}/${key}`);
      if (!hasGreeted) say(`the command line: COX_HOME=${home} bin/cox run --agent demo "Show me around"`);
      hasGreeted = true;
    });
  };
  const end = async () => {
    const ending = child;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    ending.kill("SIGTERM");
    await once(ending, "exit");
  };
  return {
    restart() {
      last = last.then(end).then(start);
    },
    stop: () => last.then(end),
  };
}

function say(text: string): void {
  process.stdout.write(`dev: ${text}\n`);
}
