import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** Stands between an agent and its model's server, and keeps what the agent asked. */
export async function overhear(target: string, host = "127.0.0.1") {
  let bodies: string[] = [];
  let tell: () => void;
  const firstAsked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    const { method, headers, url = "" } = incoming;
    const onward = request(
      new URL(url, target),
      { method, headers: { ...headers, host: new URL(target).host } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      onward.write(chunk);
    });
    incoming.on("end", () => {
      bodies.push(Buffer.concat(chunks).toString("utf8"));
      onward.end();
      tell();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    firstAsked,
    asked: () => bodies.join("\n"),
    bodies: (): readonly string[] => bodies,
    clear: () => {
      bodies = [];
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
