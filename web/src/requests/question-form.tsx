import { useState } from "react";
import type { EventOf, Question } from "../../../src/contract/events.ts";
import { isAnswered } from "../../../src/contract/requests/reply.ts";
import { revealed } from "../base/safe-text.ts";
import { Excerpted } from "../text/excerpted.tsx";
import { safeHref } from "../text/safe-href.ts";
import { Field } from "../ui/parts.tsx";
import { keycap, type Manner } from "./manner.ts";
import { most, type Request } from "./pieces.ts";
import { YesButton } from "./yes-button.tsx";

type Answers = Record<string, string[]>;

export interface Given {
  answers: Answers;
  set: (id: string, values: readonly string[]) => void;
  isComplete: boolean;
  /** One question with choices is answered by one click. */
  quick: Question | undefined;
}

/** What a person has answered so far. */
export function useAnswers(request: Request): Given {
  const [answers, setAnswers] = useState<Answers>({});
  const questions = request.type === "question_request" ? request.questions : [];
  const [only] = questions;
  return {
    answers,
    set: (id, values) => setAnswers({ ...answers, [id]: [...values] }),
    isComplete: request.type !== "question_request" || isAnswered(request, answers),
    quick: questions.length === 1 && only?.answer === "choice" && !only.allowOther ? only : undefined,
  };
}

export function QuestionForm({
  id,
  request,
  title,
  given,
  isWhole,
  manner,
  hasNumbers,
  onChoice,
}: {
  id: string;
  request: EventOf<"question_request">;
  /** What stands above it: a question that is there already is only read out. */
  title: string;
  given: Given;
  isWhole: boolean;
  manner: Manner;
  hasNumbers: boolean;
  onChoice: (answers: Answers) => void;
}) {
  const { questions, url, message } = request;
  const { quick } = given;
  const limit = (at: number) => (isWhole ? Infinity : at);
  return (
    // What sends it is the button below: its click is where an answer is judged.
    <form id={id} className="form" onSubmit={(event) => event.preventDefault()}>
      {message !== undefined && message !== title && (
        <p className="pre-line">
          <Excerpted text={revealed(message)} most={limit(most.question)} />
        </p>
      )}
      {url !== undefined && safeHref(url) !== undefined && (
        <a href={safeHref(url)} target="_blank" rel="noopener noreferrer">
          <Excerpted text={revealed(url)} most={limit(most.words)} />
        </a>
      )}
      {quick ? (
        <fieldset className="question">
          <legend className={quick.text === title ? "hidden-text" : undefined}>
            <Excerpted text={revealed(quick.text)} most={limit(most.question)} />
          </legend>
          <div className="row wrap">
            {quick.choices?.map(({ value, label, description }, i) => (
              <YesButton
                key={value}
                manner={manner}
                title={description === undefined ? undefined : revealed(description)}
                {...(hasNumbers && i < 9 ? keycap(manner, String(i + 1)) : {})}
                data-choice={i + 1}
                onYes={() => onChoice({ [quick.id]: [value] })}
              >
                <Excerpted text={revealed(label)} most={limit(most.path)} />
              </YesButton>
            ))}
          </div>
        </fieldset>
      ) : (
        questions.map((question) => (
          <QuestionField
            key={question.id}
            question={question}
            asTitle={question.text === title}
            value={given.answers[question.id] ?? []}
            limit={limit}
            onChange={(values) => given.set(question.id, values)}
          />
        ))
      )}
    </form>
  );
}

function QuestionField({
  question,
  asTitle,
  value,
  limit,
  onChange,
}: {
  question: Question;
  asTitle: boolean;
  value: readonly string[];
  limit: (at: number) => number;
  onChange: (values: readonly string[]) => void;
}) {
  const { text, choices = [], answer: kind, allowOther, secret, id: name } = question;
  const label = <Excerpted text={revealed(text)} most={limit(most.question)} />;
  if (kind === "text" || kind === "number") {
    return (
      <Field label={label} hidden={asTitle}>
        {(id) => (
          <input
            id={id}
            type={secret ? "password" : kind === "number" ? "number" : "text"}
            autoComplete="off"
            value={value[0] ?? ""}
            onChange={(event) => onChange([event.target.value])}
          />
        )}
      </Field>
    );
  }
  const options =
    kind === "boolean"
      ? [
          { value: "true", label: "Yes" },
          { value: "false", label: "No" },
        ]
      : choices;
  const many = kind === "choices";
  const other = value.find((given) => !options.some((option) => option.value === given)) ?? "";
  const toggle = (given: string, on: boolean) =>
    onChange(many ? (on ? [...value, given] : value.filter((each) => each !== given)) : [given]);
  return (
    <fieldset className="question">
      <legend className={asTitle ? "hidden-text" : undefined}>{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="check">
          <input
            type={many ? "checkbox" : "radio"}
            name={name}
            checked={value.includes(option.value)}
            onChange={(event) => toggle(option.value, event.target.checked)}
          />
          <span>
            <Excerpted text={revealed(option.label)} most={limit(most.path)} />
            {"description" in option && option.description && (
              <small>
                <Excerpted text={revealed(option.description)} most={limit(most.words)} />
              </small>
            )}
          </span>
        </label>
      ))}
      {allowOther && (
        <input
          aria-label="Something else"
          placeholder="Something else"
          value={other}
          onChange={(event) => onChange(event.target.value === "" ? [] : [event.target.value])}
        />
      )}
    </fieldset>
  );
}
