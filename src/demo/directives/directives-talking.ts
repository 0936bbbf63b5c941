import { recall } from "../conversation/prompt.ts";
import { numberAt } from "../words.ts";
import type { Directive } from "./directives.ts";

export const talking: Record<string, Directive> = {
  say: (turn, text) => turn.say(text),
  think: (turn, text) => turn.think(text),
  plan: (turn, rest) => {
    const entries = rest.split(";").map((entry) => entry.trim());
    return turn.plan(entries.map((content, index) => ({ content, status: index === 0 ? "in_progress" : "pending" })));
  },
  memory: (turn) => turn.say(recall(turn.session.earlierPrompts())),
  image: (turn) => turn.say(`images: ${turn.prompt.images}`),
  model: (turn) => turn.say(turn.session.settings.model),
  mode: (turn) => turn.say(turn.session.settings.mode),
  env: (turn, name) => {
    const value = process.env[name];
    return turn.say(value === undefined ? `${name} is not set` : `${name}=${value}`);
  },
  pwd: (turn) => {
    const { cwd } = turn.session;
    return turn.say(cwd === process.cwd() ? cwd : `${cwd} (process: ${process.cwd()})`);
  },
  usage: async (turn, rest) => {
    turn.setUsage(numberAt(0, rest), numberAt(1, rest));
    turn.session.costUsd += numberAt(2, rest, 0);
    await turn.reportContext();
  },
  context: (turn, rest) => turn.reportContext(numberAt(0, rest), numberAt(1, rest)),
  sleep: (turn, rest) => turn.pause(numberAt(0, rest)),
};
