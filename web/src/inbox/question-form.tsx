import { useState } from "react";
import type { EventOf, Question } from "../../../src/contract/events.ts";
import { answer } from "../api/inbox.ts";
import { cut, printable } from "../base/safe-text.ts";
import { safeHref } from "../text/safe-href.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/parts.tsx";
import type { Asked } from "./request-card.tsx";

type Answers = Readonly<Record<string, readonly string[]>>;

export function QuestionForm({
  asked,
  request,
  title,
  busy,
}: {
  asked: Asked;
  request: EventOf<"question_request">;
  /** What stands above it: a question that is there already is only read out. */
  title: string;
  busy: boolean;
}) {
  const [answers, setAnswers] = useState<Answers>({});
  const { questions, url } = request;
  const set = (id: string, values: readonly string[]) => setAnswers({ ...answers, [id]: values });
  const complete = questions.every(({ id, answer: kind }) => kind === "choices" || (answers[id]?.[0] ?? "") !== "");
  const send = (given: Answers) =>
    void answer(asked, { answers: Object.fromEntries(Object.entries(given).map(([id, values]) => [id, [...values]])) });
  const [only] = questions;
  // One question with choices is answered by one click.
  const quick = questions.length === 1 && only?.answer === "choice" && !only.allowOther ? only : undefined;
  return (
    <form
      className="form request-what"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete) send(answers);
      }}
    >
      {url !== undefined && safeHref(url) !== undefined && (
        <a href={safeHref(url)} target="_blank" rel="noopener noreferrer">
          {cut(url, 200)}
        </a>
      )}
      {quick ? (
        <fieldset className="question">
          <legend className={quick.text === title ? "hidden-text" : undefined}>
            {cut(printable(quick.text), 2000)}
          </legend>
          <div className="row wrap">
            {quick.choices?.map(({ value, label, description }, i) => (
              <Button
                key={value}
                disabled={busy}
                title={description}
                shortcut={i < 9 ? String(i + 1) : undefined}
                data-choice={i + 1}
                onClick={() => send({ [quick.id]: [value] })}
              >
                {cut(printable(label), 200)}
              </Button>
            ))}
          </div>
        </fieldset>
      ) : (
        questions.map((question) => (
          <QuestionField
            key={question.id}
            question={question}
            asTitle={question.text === title}
            value={answers[question.id] ?? []}
            onChange={(values) => set(question.id, values)}
          />
        ))
      )}
      <footer>
        <Button kind="danger" data-do="deny" disabled={busy} onClick={() => void answer(asked, { decline: true })}>
          Don't answer
        </Button>
        {!quick && (
          <Button kind="main" type="submit" icon="check" disabled={busy || !complete}>
            Answer
          </Button>
        )}
      </footer>
    </form>
  );
}

function QuestionField({
  question,
  asTitle,
  value,
  onChange,
}: {
  question: Question;
  asTitle: boolean;
  value: readonly string[];
  onChange: (values: readonly string[]) => void;
}) {
  const { text, choices = [], answer: kind, allowOther, secret, id: name } = question;
  const label = cut(printable(text), 2000);
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
            {cut(printable(option.label), 400)}
            {"description" in option && option.description && <small>{cut(printable(option.description), 600)}</small>}
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
