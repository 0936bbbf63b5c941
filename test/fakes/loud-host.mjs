// The host of a run without an agent: it claims the run as a host does, and writes events as fast as it is told.
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

const [home, task] = process.argv.slice(2);
const stamp = new Date().toISOString().replace(/[-:T.Z]/g, "");
const id = `${stamp.slice(0, 8)}-${stamp.slice(8)}0-${String(process.pid).padStart(7, "0")}-0001`;
const dir = join(home, "projects", "p", task, "runs", id);
const claim = join(home, "hosts", `${id}.json`);
const stat = readFileSync("/proc/self/stat", "utf8");
const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
const identity = { pid: process.pid, start, boot, namespace: readlinkSync("/proc/self/ns/pid"), dir };

mkdirSync(join(home, "hosts"), { recursive: true });
writeFileSync(claim, JSON.stringify(identity));
mkdirSync(dir, { recursive: true });
const at = new Date().toISOString();
const info = {
  version: 1,
  run_id: id,
  project_id: "p",
  task_id: task,
  agent: "demo",
  status: "running",
  start_time: at,
  cwd: "/",
};
const save = (more) =>
  writeFileSync(
    join(dir, "run-info.yaml"),
    Object.entries({ ...info, ...more })
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
      .join(""),
  );
save({});
const ledger = (record) => appendFileSync(join(home, "runs.jsonl"), `\n${JSON.stringify(record)}\n`);
ledger({ type: "start", run_id: id, project: "p", task, agent: "demo", at, cwd: "/", title: "loud" });
const fd = openSync(join(dir, "events.jsonl"), "a");

let seq = 0;
let timer;
const now = () => performance.timeOrigin + performance.now();
const line = (filler) => {
  seq += 1;
  const text = `${now().toFixed(3)} ${filler}`;
  return `\n{"seq":${seq},"at":"${new Date().toISOString()}","type":"message_chunk","turn":"t1","messageId":"m","text":"${text}"}\n`;
};
const tell = (more) => process.send({ written: seq, ...more });

/** In small portions, a few milliseconds apart, as a talkative agent's events come. Tells how far it is, unless `untold`. */
function shout({ perSecond, bytes, events = Number.POSITIVE_INFINITY, untold = false }) {
  const filler = "x".repeat(bytes);
  const began = now();
  const first = seq;
  timer = setInterval(
    () => {
      const due = Math.min(Math.floor(((now() - began) / 1000) * perSecond), events) - (seq - first);
      let text = "";
      for (let i = 0; i < Math.min(due, 500); i += 1) text += line(filler);
      if (text === "") return;
      writeSync(fd, text);
      const done = seq - first >= events;
      if (done) clearInterval(timer);
      if (done || !untold) tell(done ? { quiet: true } : {});
    },
    Math.max(2, 1000 / perSecond),
  );
}

process.on("message", (wish) => {
  if (wish === "quiet") {
    clearInterval(timer);
    tell({ quiet: true });
  } else if (wish === "end") {
    clearInterval(timer);
    seq += 1;
    const closed = { seq, at, type: "session_status", status: "closed", reason: "done" };
    writeSync(fd, `\n${JSON.stringify(closed)}\n`);
    closeSync(fd);
    save({ status: "completed", end_time: at });
    ledger({
      type: "end",
      run_id: id,
      at,
      status: "completed",
      reason: "",
      exit_code: 0,
      cost_usd: 0,
      tokens: 0,
      turns: 0,
    });
    rmSync(claim);
    process.disconnect();
  } else shout(wish);
});
process.send({ id, eventsPath: join(dir, "events.jsonl") });
