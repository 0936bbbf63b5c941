import { type ReactNode, useState } from "react";
import { AppError } from "../../../src/contract/errors.ts";
import { plural } from "../../../src/contract/words/figures.ts";
import { useApi } from "../api/query.ts";
import { useKeys } from "../base/keys.ts";
import { cut, revealedLine } from "../base/safe-text.ts";
import { storage } from "../base/storage.ts";
import { go, usePlace, withQuery } from "../router.tsx";
import { Empty, Loaded, Segments } from "../ui/parts.tsx";
import { ReviewActions } from "./actions.tsx";
import { CommentBar } from "./comment-bar.tsx";
import { FilePanel } from "./file-panel.tsx";
import { setReviewed } from "./marks.ts";
import "../style/review.css";

/** What changed, file by file, and what one thinks of it. */
export function Review({ run, otherwise }: { run: string; otherwise: ReactNode }) {
  const place = usePlace();
  const from = place.query.get("from") ?? "start";
  const current = place.query.get("file") ?? "";
  const [split, setSplit] = useState(() => storage.read("diff.split", false));
  const diff = useApi("GET /runs/{run}/workspace/diff", { params: { run }, query: { from } });
  const checkpoints = useApi("GET /runs/{run}/workspace/checkpoints", { params: { run } });
  const comments = useApi("GET /runs/{run}/review/comments", { params: { run } });
  const files = diff.data?.files ?? [];
  const here = files.findIndex(({ path }) => path === current);
  const show = (i: number) => {
    const file = files[Math.max(0, Math.min(i, files.length - 1))];
    if (file !== undefined) go(withQuery(place, { file: file.path }), { replace: true });
  };
  useKeys("Review", [
    { keys: "j", says: "Next file", do: () => show(here + 1) },
    { keys: "k", says: "Previous file", do: () => show(here - 1) },
    {
      keys: "r",
      says: "Mark the file as reviewed, or not",
      do: () => {
        const file = files[here];
        if (file !== undefined) void setReviewed(run, file, file.reviewed !== true).then(diff.reload);
      },
    },
  ]);
  const turns = checkpoints.data?.items.filter(({ kind }) => kind === "turn") ?? [];
  // Outside of git, or on another machine, nobody can compare; what the agent said it changed is still there.
  const isElsewhere = diff.error instanceof AppError && /^(workspace\.invalid|run\.imported)$/.test(diff.error.code);
  if (isElsewhere) return otherwise;
  return (
    <div className="review">
      <div className="review-bar">
        <select
          className="option"
          aria-label="Since when"
          value={from}
          onChange={(event) =>
            go(withQuery(place, { from: event.target.value === "start" ? "" : event.target.value }), { replace: true })
          }
        >
          <option value="start">The whole run</option>
          <option value="head">Not committed</option>
          <option value="base">Against its base branch</option>
          {turns
            .filter(({ n }) => n > 0)
            .map(({ n }) => (
              <option key={n} value={`turn:${n}`}>
                Turn {n}
              </option>
            ))}
        </select>
        {diff.data && (
          <span>
            {plural(files.length, "file")} <span className="added">+{diff.data.added}</span>{" "}
            <span className="removed">−{diff.data.removed}</span>
          </span>
        )}
        {files.length > 0 && (
          <span className="muted">
            {files.filter(({ reviewed }) => reviewed).length} of {files.length} reviewed
          </span>
        )}
        <span className="grow" />
        <Segments
          label="Layout"
          value={split ? "split" : "unified"}
          options={[
            { value: "unified", label: "Unified" },
            { value: "split", label: "Side by side" },
          ]}
          onChange={(next) => {
            storage.write("diff.split", next === "split");
            setSplit(next === "split");
          }}
        />
        <ReviewActions
          run={run}
          files={files}
          checkpoints={turns.map(({ n, at }) => ({ n, at }))}
          redo={checkpoints.data?.redo === true}
          onDone={diff.reload}
        />
      </div>
      <div className="review-main">
        <Loaded answer={diff}>
          {() =>
            files.length === 0 ? (
              <Empty icon="check" title="Nothing changed">
                No file is different {from === "start" ? "since the run began" : "there"}.
              </Empty>
            ) : (
              <>
                <nav className="review-files" aria-label="Changed files">
                  {files.map(({ path, reviewed, added, removed }, i) => (
                    <button
                      key={path}
                      type="button"
                      className={reviewed ? "reviewed" : ""}
                      aria-current={path === current || undefined}
                      title={revealedLine(path)}
                      onClick={() => show(i)}
                    >
                      <span role="img" aria-label={reviewed ? "reviewed" : "not reviewed"}>
                        {reviewed ? "●" : "○"}
                      </span>
                      <span className="one-line grow review-path">{cut(revealedLine(path), 160)}</span>
                      <span className="diff-stat">
                        <span className="added">+{added ?? 0}</span> <span className="removed">−{removed ?? 0}</span>
                      </span>
                    </button>
                  ))}
                </nav>
                <div className="review-panels">
                  {files.map((file) => (
                    <FilePanel
                      key={file.path}
                      run={run}
                      from={from}
                      file={file}
                      split={split}
                      current={file.path === current}
                      comments={comments.data?.items.filter(({ path }) => path === file.path) ?? []}
                      onChange={diff.reload}
                      onComment={comments.reload}
                    />
                  ))}
                </div>
              </>
            )
          }
        </Loaded>
      </div>
      <CommentBar run={run} comments={comments.data?.items ?? []} onChange={comments.reload} />
    </div>
  );
}
