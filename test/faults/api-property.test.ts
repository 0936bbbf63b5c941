import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunDetail } from "../../src/contract/api/runs.ts";
import { type JsonSchema, type Operation, openApi, type Parameter } from "../../src/faces/server/api/openapi.ts";
import { Scene, until } from "../support/cox.ts";
import { type Known, violations } from "../support/json-schema.ts";
import { HOSTILE, type Making, randomFrom, type Size, STRANGE, valueOf } from "../support/schema-values.ts";
import { type RunningServer, startServer } from "../support/server.ts";

/**
 * Whatever is sent to any operation of the document: no 5xx, and every answer is what the document says. Values are made of the
 * schemas: fitting ones, their bounds, wrong types, hostile texts; the same ones each time.
 */
const document = openApi();

function turnOf(title: string): number {
  if (title.startsWith("GET ")) return 0;
  // Before somebody interrupts the one who asks, and before others work in the same folder.
  if (title.includes("/requests/") || title.includes("/workspace/")) return 1;
  if (title === "DELETE /runs/{run}" || title === "DELETE /tasks/{project}/{task}") return 4; // what the others look at
  if (title.endsWith("/done")) return 3.5; // what is done can't be cancelled; one is left for it
  return /^DELETE |\/(stop|cancel|logout|send)$/.test(title) ? 3 : 2;
}
const made = new Scene();
let server: RunningServer;
let words: Making["words"];
const IMPORTED = "20250101-0000000000-0000001-0001";

beforeAll(async () => {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: made.workspace, env: made.env });
  git("init", "-q");
  writeFileSync(join(made.workspace, "a.txt"), "a\n");
  git("config", "user.name", "Ann");
  git("config", "user.email", "ann@example.com");
  git("add", "-A");
  git("commit", "-qm", "first");
  const run = ["run", "--agent", "demo", "--project", "p"];
  await made.cox([...run, "--task", "ended", "--permissions", "allow", "@say hello\n@edit b.txt hello"]);
  for (const task of ["todo", "other"]) {
    await made.cox(["task", "create", "--project", "p", "--task", task, "--agent", "demo", "--review", "@say done"]);
  }
  await made.cox(["profile", "set", "mine", "--agent", "demo"]);
  Object.assign(made.env, { COOP_MUX_PORT: "0" });
  server = await startServer(made, ["--port", "0", "--hub"]);
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method: "POST",
      headers: server.headers,
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Record<string, string>;
  };
  const { dir, info } = made.runs().find((each) => each.info?.task_id === "ended") ?? { dir: "", info: undefined };
  const ended = info?.run_id ?? "";
  const prompt = [{ type: "text", text: "@permission Do it" }];
  const elsewhere = mkdtempSync(join(made.folder, "elsewhere-")); // or nobody could commit while it works
  const asking = { agent: "demo", project: "p", task: "live", workspace: elsewhere, permissions: "ask", prompt };
  const { run_id: live = "" } = await post("/runs", asking);
  const detail = await until(async () => {
    const answer = await fetch(`${server.url}/api/v1/runs/${live}`, { headers: server.headers });
    const found = (await answer.json()) as RunDetail;
    return found.open_requests.length > 0 && found;
  });
  const option = detail.options[0] as { id: string; value: string };
  const comment = { path: "b.txt", line: 1, text: "why?" };
  words = {
    run: [ended, live],
    pending: [detail.open_requests[0]?.pending_id],
    answer: [{ decline: true }],
    option: [option.id],
    value: [option.value],
    run_id: [IMPORTED],
    files: [
      {
        "run-info.yaml": readFileSync(join(dir, "run-info.yaml"), "utf8").replaceAll(ended, IMPORTED),
        "events.jsonl": readFileSync(join(dir, "events.jsonl"), "utf8"),
      },
    ],
    rule: [(await post("/rules", { decision: "allow", kind: "execute", match: "ls" })).id],
    token: [(await post("/tokens", { name: "ci", scope: "read" })).id],
    comment: [(await post(`/runs/${ended}/review/comments`, comment)).id],
    sha256: ["0".repeat(64)],
    project: ["p"],
    task: ["todo", "ended", "other", "live"],
    agent: ["demo"],
    profile: ["mine"],
    workspace: [made.workspace],
    path: ["a.txt", "b.txt"],
    paths: [["b.txt"]],
    depends_on: [["ended"]],
    url: ["http://127.0.0.1:9/hook"],
    command: ["true"],
    mode: ["batch"],
    on: ["local"],
    from: ["start"],
    key: [server.key],
    file: ["events.jsonl", "agent-stdout.txt"],
    channel: ["desktop"],
  };
});

afterAll(async () => {
  const { stderr } = await server.stop(); // first, or it would start what is still queued
  await made.close();
  expect(stderr.split("\n").filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

/** A test that is always refused proves little. */
const served = new Set<string>();

interface Call {
  what: string;
  params: Record<string, string>;
  query: Record<string, string>;
  body?: unknown;
}

/** First those that look, then those that change, last those that end something. */
const operations = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const title = `${method.toUpperCase()} ${path}`;
      return { title, method, path, operation, turn: turnOf(title) };
    }),
  )
  .sort((a, b) => a.turn - b.turn);

/** They start a program each time; a few calls say as much as many. */
const SLOW = new Set(["POST /agents/{agent}/test", "POST /runs", "POST /runs/{run}/fork", "POST /runs/{run}/prompts"]);

describe.each(["valid", "strange"] as const)("%s calls", (kind) => {
  test.each(operations)("$title", async ({ title, method, path, operation }) => {
    const all = kind === "valid" ? fitting(operation) : misfits(operation);
    const calls = title.endsWith("{task}/cancel") ? all.filter(({ params }) => params.task !== "todo") : all;
    for (const call of SLOW.has(title) ? calls.filter((_, n) => n % 10 === 0) : calls) {
      const answer = await send(method, path, call, operation);
      if (answer.status < 300) served.add(title);
      expect({ call: shown(call), wrong: wrongIn(answer, operation) }).toEqual({ call: shown(call), wrong: [] });
    }
  });
});

/** What they need is not here: a cluster, a hub, a large text, `gh`, a worktree, a task in review, the token of a run. */
const MAY_REFUSE = /self\/|cluster\/tasks|terminals\/|blobs|pull-request|workspace\/merge|send-back/;

test("every operation got through to its work at least once", () => {
  const refused = operations.map(({ title }) => title).filter((title) => !served.has(title) && !MAY_REFUSE.test(title));
  expect(refused).toEqual([]);
});

function fitting(operation: Operation): Call[] {
  const sizes: Size[] = ["all", "required", "all", "required", "all", "required", "largest", "smallest"];
  return sizes.map((size, seed) => callOf(operation, size, seed));
}

function callOf({ parameters = [], requestBody }: Operation, size: Size, seed: number): Call {
  const making: Making = { root: document, random: randomFrom(seed + 1), size, words: turned(seed) };
  const valuesIn = (place: Parameter["in"]) =>
    Object.fromEntries(
      parameters
        .filter((each) => each.in === place && (each.required || size !== "required"))
        .map(({ name, schema }) => [
          name,
          String(valueOf(schema, { ...making, size: place === "path" ? "all" : size }, name)),
        ]),
    );
  const schema = requestBody?.content["application/json"]?.schema;
  return {
    what: size,
    params: valuesIn("path"),
    query: valuesIn("query"),
    ...(requestBody === undefined ? {} : { body: schema === undefined ? "bytes" : valueOf(schema, making) }),
  };
}

/** Each call with the next of the things that exist. */
const turned = (seed: number): Making["words"] =>
  Object.fromEntries(Object.entries(words).map(([name, values]) => [name, [values[seed % values.length]]]));

/** One thing wrong at a time, in a call that is otherwise right. */
function misfits(operation: Operation): Call[] {
  const right = callOf(operation, "required", 7);
  const { parameters = [], requestBody } = operation;
  const schema = requestBody?.content["application/json"]?.schema;
  const places = parameters.filter((each) => each.in !== "header");
  const inPlaces = places.flatMap(({ name, in: place }, n) =>
    every(3, n, HOSTILE).map((text): Call => {
      const changed = { ...(place === "path" ? right.params : right.query), [name]: text };
      return { ...right, what: `${place}.${name}`, [place === "path" ? "params" : "query"]: changed };
    }),
  );
  return [...inPlaces, ...(schema === undefined ? [] : bodies(schema, right))];
}

function bodies(schema: JsonSchema, right: Call): Call[] {
  const body = right.body as Record<string, unknown>;
  const { properties = {} } = schema as Known;
  const fields = Object.entries(properties).flatMap(([key, own], n) => {
    const texts = isText(own) && !SETS_A_PROGRAM.has(key) ? every(3, n, HOSTILE) : [];
    return [...STRANGE, ...texts].map((value) => ({ ...right, what: `body.${key}`, body: { ...body, [key]: value } }));
  });
  const whole = STRANGE.map((value) => ({ ...right, what: "body", body: value }));
  const missing = Object.keys(body).map((key) => ({
    ...right,
    what: `no ${key}`,
    body: { ...body, [key]: undefined },
  }));
  return [...whole, ...missing, ...fields, { ...right, what: "more", body: { ...body, ["__proto__x"]: 1 } }];
}

/** A third of them here, another third there: all of them often enough. */
const every = <T>(step: number, from: number, all: readonly T[]): T[] => all.filter((_, n) => n % step === from % step);

const isText = (schema: JsonSchema): boolean => (schema as Known).type === "string";
/** What would be started later must not be anything. */
const SETS_A_PROGRAM = new Set(["command"]);

interface Answer {
  status: number;
  type: string;
  text: string;
}

function send(method: string, path: string, call: Call, { requestBody, responses }: Operation): Promise<Answer> {
  const at = path.replace(/\{(\w+)\}/g, (_, name: string) => encode(call.params[name] ?? ""));
  const query = Object.entries(call.query).map(([name, value]) => `${name}=${encode(value)}`);
  const isStream = responses["200"]?.content?.["text/event-stream"] !== undefined;
  const bytes = requestBody !== undefined && requestBody.content["application/json"] === undefined;
  const body = requestBody === undefined ? undefined : bytes ? String(call.body) : (JSON.stringify(call.body) ?? "");
  const headers = {
    authorization: `Bearer ${server.token}`,
    ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
    ...(body === undefined ? {} : { "content-type": bytes ? "text/plain" : "application/json" }),
  };
  return new Promise((resolve, reject) => {
    const url = `${server.url}/api/v1${at}${query.length === 0 ? "" : `?${query.join("&")}`}`;
    const sent = request(url, { method, headers, agent: false, insecureHTTPParser: false }, (response) => {
      let text = "";
      const done = () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "", text });
      if (isStream && response.statusCode === 200) {
        done();
        response.destroy();
        return;
      }
      response.on("data", (chunk) => (text += String(chunk)));
      response.on("end", done).on("error", reject);
    });
    sent.on("error", reject).end(body);
  });
}

/** Half a surrogate pair can't be written in an address: it travels as the sign for what can't be read. */
const encode = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

function wrongIn({ status, type, text }: Answer, { responses }: Operation): string[] {
  if (status >= 500) return [`${status}: ${text}`];
  const documented = responses[String(status)];
  if (documented === undefined || status >= 400) {
    if (status < 400) return [`${status} is not in the document`];
    // What is not a path at all is refused before anybody looks for a route; a range has its own.
    if (type !== "application/problem+json") return [`${status} without a problem: ${type} ${text}`];
    return violations({ $ref: "#/components/schemas/Problem" }, JSON.parse(text), document);
  }
  const schema = documented.content?.["application/json"]?.schema;
  if (schema !== undefined) {
    if (type !== "application/json") return [`${status} as ${type}`];
    return violations(schema, JSON.parse(text), document);
  }
  if (documented.content === undefined) return text === "" ? [] : [`${status} should be empty`];
  return [];
}

function shown(call: Call): string {
  return JSON.stringify(call).slice(0, 400);
}
