// scratch
import { Conversation } from "../conformance/conversation.ts";
import { startModelServer } from "./model-server.ts";
import { realSubject } from "./real-agent.ts";

const [name = "", wishes = "{}", ...prompts] = process.argv.slice(2);
const mod = await import(`./agents/${name}.ts`);
const agent: any = Object.values(mod).find((v: any) => v?.name === name);
const server = await startModelServer(agent.api, process.env.MODEL_LOG);
const done: (() => void)[] = [];
const subject = realSubject(agent, server.url, ((f: any) => done.push(f)) as any);
const w = JSON.parse(wishes);
const c = new Conversation(await subject.spec(w));
const t0 = Date.now();
let shown = 0;
const show = () => {
  for (const e of c.events.slice(shown)) {
    const { at, ...r } = e as any;
    if (r.type === "commands" || (r.type === "config_options" && !process.env.OPTS)) continue;
    console.log(Date.now() - t0, JSON.stringify(r).slice(0, Number(process.env.W ?? 600)));
  }
  shown = c.events.length;
};
const timer = setInterval(show, 50);
try {
  for (const p of prompts) {
    const from = c.events.length;
    if (p.startsWith("!")) {
      await c.run.send(JSON.parse(p.slice(1))).catch((e: any) => console.log("REFUSED", e.message));
      continue;
    }
    const s = (subject.say as any)[p];
    const text = typeof s === "function" ? s("x.txt") : (s ?? p);
    await c.prompt(text);
    const auto = process.env.ANSWER;
    for (;;) {
      const e: any = c.events.slice(from).find((x) => x.type === "complete");
      if (e) break;
      const r: any =
        auto &&
        c.events
          .slice(from)
          .find((x: any) => (x.type === "permission_request" || x.type === "question_request") && !(x as any).done);
      if (r) {
        r.done = true;
        if (r.type === "permission_request") await c.choose(r, auto as any, "not on my watch");
        else await c.answer(r.pendingId, { answers: { [r.questions[0].id]: ["blue"] } });
      }
      if ((c as any).run === undefined) break;
      await new Promise((r) => setTimeout(r, 20));
      if (Date.now() - t0 > 44_000) break;
    }
  }
} finally {
  const info = await c.stop();
  show();
  clearInterval(timer);
  console.log(info.status, info.reason, info.error_summary, c.run.paths.dir);
  server.stop();
  if (!process.env.KEEP_HOMES) for (const f of done) f();
}
process.exit(0);
