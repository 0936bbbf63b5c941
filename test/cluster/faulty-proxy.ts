import { createServer, request as httpRequest, type ServerResponse } from "node:http";
import { request as httpsRequest } from "node:https";
import type { ClusterAccess } from "../../src/cluster/kube/access.ts";

export interface FaultyProxy {
  url: string;
  /** How often each fault was done. */
  done: Record<string, number>;
  close(): Promise<void>;
}

/** Stands before a real API server and breaks its watches, each time in another way. */
export async function startFaultyProxy({ server, ca, cert, key }: ClusterAccess): Promise<FaultyProxy> {
  const done: Record<string, number> = {
    cut: 0,
    gone: 0,
    "gone in the stream": 0,
    busy: 0,
    broken: 0,
    "half a line": 0,
    "cut later": 0,
  };
  const faults = Object.keys(done);
  let watches = 0;

  const proxy = createServer((request, response) => {
    const isWatch = (request.url ?? "").includes("watch=true");
    // One of two watches is a good one, or nothing would ever be seen.
    const fault = isWatch && watches++ % 2 === 0 ? faults[(watches >> 1) % faults.length] : undefined;
    if (fault !== undefined) done[fault] = (done[fault] ?? 0) + 1;
    if (fault !== undefined && answers(fault, response)) return;
    const begin = server.startsWith("https:") ? httpsRequest : httpRequest;
    const { host: _, ...headers } = request.headers;
    const onward = begin(`${server}${request.url}`, { method: request.method, headers, ca, cert, key }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      if (isWatch) spoil(fault, answer, response);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    done,
    close: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

/** Those that need no real answer. */
function answers(fault: string, response: ServerResponse): boolean {
  const status = (code: number, reason: string) =>
    JSON.stringify({ kind: "Status", code, reason, message: `test: ${reason}` });
  switch (fault) {
    case "cut":
      response.destroy();
      return true;
    case "gone":
      response.writeHead(410).end(status(410, "Expired"));
      return true;
    case "gone in the stream":
      response.writeHead(200).end(`{"type":"ERROR","object":${status(410, "Expired")}}\n`);
      return true;
    case "busy":
      response.writeHead(429, { "retry-after": "0" }).end(status(429, "TooManyRequests"));
      return true;
    case "broken":
      response.writeHead(500).end("boom");
      return true;
    default:
      return false;
  }
}

/** A good watch lives for a second or two as well, so that every fault has its turn. */
function spoil(fault: string | undefined, answer: NodeJS.ReadableStream, response: ServerResponse): void {
  setTimeout(
    () => {
      answer.unpipe(response);
      if (fault === "half a line") response.end('{"type":"MODIFIED","object":{"kind":"Ta');
      else response.destroy();
    },
    fault === undefined ? 1500 : 200,
  );
}
