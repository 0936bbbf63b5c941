import type { GivenTo, UserAnswer } from "../../contract/agent-socket.ts";
import { AppError } from "../../contract/errors.ts";
import type { Question } from "../../contract/events.ts";
import type { Run } from "../runner/run.ts";
import type { AgentCalls } from "./tools/perform.ts";

/** A person who is asked more than this at once answers nothing any more. */
const MAX_OPEN = 10;

export function askCalls(run: Pick<Run, "ask">): Pick<AgentCalls, "ask_user"> {
  let open = 0;
  return {
    async ask_user(params, signal) {
      if (open >= MAX_OPEN) throw new AppError("limit.exceeded", `ask: ${MAX_OPEN} questions are open already`);
      open += 1;
      try {
        const answer = await run.ask([questionOf(params)], signal);
        return answer.outcome === "answered" ? answered(answer.answers[QUESTION_ID]) : answer;
      } finally {
        open -= 1;
      }
    },
  };
}

const QUESTION_ID = "q1";
const answered = (values: readonly string[] = []): UserAnswer => ({ outcome: "answered", answers: [...values] });

function questionOf({ question: text, choices, multiple, allow_other }: GivenTo<"ask_user">): Question {
  if (choices.length === 0) return { id: QUESTION_ID, text, answer: "text" };
  return {
    id: QUESTION_ID,
    text,
    answer: multiple ? "choices" : "choice",
    choices: choices.map((label) => ({ value: label, label })),
    allowOther: allow_other,
  };
}
