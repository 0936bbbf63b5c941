import { expect, onTestFinished, test } from "vitest";
import { coxswain } from "../../src/index.ts";
import { httpClient } from "../../src/lib/client/http.ts";
import { type Scene, scene, until } from "../support/cox.ts";
import { startServer } from "../support/server.ts";

/** What `cox ls --json` prints of a run. */
const listed = "run_id handle project task agent parent previous at cwd title end state reason".split(" ");

/** What its record has besides. None of it says again what the list says. */
const details = `resumes forked_from agent_version profile model mode permissions on network process_ownership
  pid pgid agent_start host_pid host_start boot_id pid_ns category error_summary session_id
  prompt_path output_path stdout_path stderr_path commandline input_tokens output_tokens
  branch base_branch commit diff_stat`.split(/\s+/);

const show = ["dir", "requests", "files", "context"];
const conversation = "phase last_seq open_requests queue options commands can context resumable next children".split(
  " ",
);

type Fields = Record<string, unknown>;

const printed = async (made: Scene, ...args: string[]): Promise<Fields[]> =>
  (await made.cox(args)).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Fields);

const pick = (from: object, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));

test("ls, show, wait, the API and the library tell of a run by the same names, each fact once", async () => {
  const made = scene();
  const server = await startServer(made);
  onTestFinished(async () => void (await server.stop()));
  const access = { url: server.url, token: server.token };
  const demo = ["run", "--agent", "demo", "--project", "p"];
  const parent = '@run cox run -d --agent demo "@say child" > id\n@run cox wait $(cat id)\n@usage 3 4 0.5';
  await made.cox([...demo, "--permissions", "allow", "--", parent]);
  await made.cox([...demo, "--", "@error auth no key"]);
  await made.cox([...demo, "--resume", "latest", "--", "@say on"]);
  const client = httpClient(access);
  const chat = { agent: "demo", project: "p", workspace: made.workspace, title: "" };
  const { run_id: live } = await client.call("POST /runs", {
    body: { ...chat, prompt: [{ type: "text", text: "May I?\n@permission this" }] },
  });
  await until(async () => (await client.call("GET /runs/{run}", { params: { run: live } })).phase === "waiting");

  const runs = await printed(made, "ls", "--json");
  expect(new Set(runs.flatMap(Object.keys))).toEqual(new Set(listed));
  expect(runs.map(({ state }) => state)).toEqual(["waiting", "completed", "failed", "completed", "completed"]);
  const ended = new Map<string, Fields>();
  for (const run of runs) {
    const id = String(run.run_id);
    const [shown = {}] = await printed(made, "show", id, "--json");
    const answered = await client.call("GET /runs/{run}", { params: { run: id } });
    const here = await coxswain({ env: made.env }).run(id).info();
    const there = await coxswain(access).run(id).info();
    for (const told of [shown, answered, here, there]) expect(pick(told, listed)).toEqual(run);

    const record = pick(shown, [...listed, ...details]);
    for (const told of [answered, here, there]) expect(pick(told, [...listed, ...details])).toEqual(record);
    if (run.end !== undefined) ended.set(id, record);
    expect(here).toEqual(there);
    expect(
      Object.keys(record)
        .filter((name) => !listed.includes(name))
        .toSorted(),
    ).toEqual(details.toSorted());
    expect(Object.keys(shown).filter((name) => !(name in record))).toEqual(show);
    expect(Object.keys(answered).filter((name) => !(name in record) && !conversation.includes(name))).toEqual([]);
    expect(Object.keys(there).filter((name) => !(name in record))).toEqual([]);
  }
  expect(await printed(made, "wait", ...ended.keys(), "--json")).toEqual([...ended.values()]);
  await client.call("POST /runs/{run}/stop", { params: { run: live } });
  await until(async () => (await client.call("GET /runs/{run}", { params: { run: live } })).end !== undefined);
});
