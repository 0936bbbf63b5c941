import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface GitServer {
  url: string;
  /** `user:password` of every request that carried one. */
  seen: string[];
  git: (...args: string[]) => string;
  close(): void;
}

/** A real git over HTTP, with a password if one is given, at an address that pods can reach. */
export async function startGitServer(host: string, password?: string): Promise<GitServer> {
  const folder = mkdtempSync(join(tmpdir(), "coxk-git-"));
  const work = join(folder, "work");
  const bare = join(folder, "org/repo.git");
  mkdirSync(join(folder, "org"));
  const inWork = (...args: string[]) =>
    execFileSync("git", ["-C", work, "-c", "user.name=t", "-c", "user.email=t@t", ...args], { encoding: "utf8" });
  execFileSync("git", ["init", "-q", "-b", "main", work]);
  writeFileSync(join(work, "README.md"), "hello from main\n");
  inWork("add", ".");
  inWork("commit", "-qm", "first");
  execFileSync("git", ["clone", "-q", "--bare", work, bare]);
  execFileSync("git", ["-C", bare, "config", "http.receivepack", "true"]);
  const seen: string[] = [];

  const server = createServer((request, response) => {
    const given = Buffer.from((request.headers.authorization ?? "").replace(/^Basic /, ""), "base64").toString();
    if (given !== "") seen.push(given);
    if (password !== undefined && given.split(":")[1] !== password) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return;
    }
    const url = new URL(request.url ?? "", "http://x");
    const backend = spawn("git", ["http-backend"], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
        GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
        REMOTE_USER: given.split(":")[0] ?? "",
      },
    });
    request.pipe(backend.stdin);
    backend.stdin.on("error", () => {});
    const chunks: Buffer[] = [];
    backend.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    backend.on("close", () => {
      const output = Buffer.concat(chunks);
      const end = output.indexOf("\r\n\r\n");
      const headers = output
        .subarray(0, end)
        .toString()
        .split("\r\n")
        .map((line) => line.split(": "));
      const status = headers.find(([name]) => name === "Status")?.[1] ?? "200";
      for (const [name, value] of headers) if (name && value && name !== "Status") response.setHeader(name, value);
      response.writeHead(Number(status.slice(0, 3))).end(output.subarray(end + 4));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://${host}:${port}/org/repo.git`,
    seen,
    git: (...args) => execFileSync("git", ["-C", bare, ...args], { encoding: "utf8" }).trim(),
    close: () => {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
