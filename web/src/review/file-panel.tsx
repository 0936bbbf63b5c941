import { useEffect, useRef, useState } from "react";
import type { Result } from "../../../src/contract/api/index.ts";
import type { FileChangeItem } from "../../../src/contract/api/workspace.ts";
import type { DiffLine } from "../../../src/contract/words/diff.ts";
import { server } from "../api/client.ts";
import { useApi } from "../api/query.ts";
import { cut, revealedLine } from "../base/safe-text.ts";
import { DiffView } from "../text/diff-view.tsx";
import { ask } from "../ui/ask.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Check, Loaded } from "../ui/parts.tsx";
import { attempt } from "../ui/toast.tsx";
import { setReviewed } from "./marks.ts";

export type Comment = Result<"GET /runs/{run}/review/comments">["items"][number];

interface FilePanelProps {
  run: string;
  from: string;
  file: FileChangeItem;
  split: boolean;
  current: boolean;
  comments: readonly Comment[];
  onChange: () => void;
  onComment: () => void;
}

/** One file. Its patch is fetched when it comes into sight. */
export function FilePanel(props: FilePanelProps) {
  const { run, file, current, onChange } = props;
  const panel = useRef<HTMLElement>(null);
  const seen = useSeen(panel);
  const [open, setOpen] = useState(file.reviewed !== true);
  useEffect(() => {
    if (!current) return;
    setOpen(true);
    panel.current?.scrollIntoView({ block: "start" });
  }, [current]);
  const mark = (reviewed: boolean) => {
    setOpen(!reviewed);
    void setReviewed(run, file, reviewed).then(onChange);
  };
  const discard = async () => {
    const sure = await ask({
      title: "Give up the changes of this file?",
      text: `${file.path}\n\nIt becomes what it was before. A checkpoint is taken first: “Undo” brings it back.`,
      yes: "Give up",
      danger: true,
    });
    if (sure === undefined) return;
    await attempt(server.call("POST /runs/{run}/workspace/discard", { params: { run }, body: { paths: [file.path] } }));
    onChange();
  };
  return (
    <section ref={panel} className={`panel file-panel ${current ? "current" : ""}`} aria-label={file.path}>
      <header>
        <IconButton
          icon={open ? "down" : "right"}
          label={open ? "Fold" : "Unfold"}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
        <h2 className="one-line mono grow" title={revealedLine(file.path)}>
          {file.old_path ? `${cut(revealedLine(file.old_path), 80)} → ` : ""}
          {cut(revealedLine(file.path), 160)}
        </h2>
        {file.change !== "modify" && <small>{file.change}</small>}
        <Check label="Reviewed" checked={file.reviewed === true} onChange={mark} />
        <IconButton icon="trash" label="Give up changes" onClick={() => void discard()} />
      </header>
      {open && seen && <Patch {...props} />}
      {open && !seen && <div className="file-waiting" />}
    </section>
  );
}

function useSeen(element: { current: HTMLElement | null }): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { rootMargin: "600px" },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return seen;
}

function Patch({ run, from, file, split, comments, onComment }: FilePanelProps) {
  const answer = useApi("GET /runs/{run}/workspace/diff", {
    params: { run },
    query: { from, path: file.path, patches: "true" },
  });
  const [writing, setWriting] = useState<DiffLine>();
  if (file.binary) return <p className="diff-none">A binary file.</p>;
  const below = (line: DiffLine) => {
    const own = comments.filter((comment) => isOn(comment, line));
    const here = writing !== undefined && writing.old === line.old && writing.new === line.new;
    if (own.length === 0 && !here) return null;
    return (
      <>
        {own.map((comment) => (
          <Written key={comment.id} run={run} comment={comment} onChange={onComment} />
        ))}
        {here && (
          <Write
            run={run}
            path={file.path}
            line={line}
            onDone={() => {
              setWriting(undefined);
              onComment();
            }}
          />
        )}
      </>
    );
  };
  return (
    <Loaded answer={answer} lines={4}>
      {({ files }) => {
        const patch = files.find(({ path }) => path === file.path) ?? files[0];
        return (
          <>
            <DiffView unified={patch?.unified ?? ""} path={file.path} split={split} onLine={setWriting} below={below} />
            {patch?.truncated && <p className="diff-none">The diff is cut: the file is too large to show all of it.</p>}
          </>
        );
      }}
    </Loaded>
  );
}

const isOn = ({ line, side }: Comment, at: DiffLine) =>
  side === "old" ? at.old === line && at.new === undefined : at.new === line;

function Written({ run, comment, onChange }: { run: string; comment: Comment; onChange: () => void }) {
  const remove = async () => {
    const params = { run, comment: comment.id };
    await attempt(server.call("DELETE /runs/{run}/review/comments/{comment}", { params }));
    onChange();
  };
  return (
    <div className="comment">
      <p className="grow pre-wrap">{comment.text}</p>
      <IconButton icon="trash" label="Drop this comment" onClick={() => void remove()} />
    </div>
  );
}

function Write({ run, path, line, onDone }: { run: string; path: string; line: DiffLine; onDone: () => void }) {
  const [text, setText] = useState("");
  const keep = async () => {
    if (text.trim() === "") return;
    const body = {
      path,
      line: line.new ?? line.old ?? 1,
      side: line.new === undefined ? ("old" as const) : ("new" as const),
      text: text.trim(),
      quote: line.text.slice(0, 2000),
    };
    if (await attempt(server.call("POST /runs/{run}/review/comments", { params: { run }, body }))) onDone();
  };
  return (
    <form
      className="comment-form"
      onSubmit={(event) => {
        event.preventDefault();
        void keep();
      }}
    >
      <textarea
        autoFocus
        rows={2}
        aria-label="Comment"
        placeholder="What should be different here?"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void keep();
          if (event.key === "Escape") onDone();
        }}
      />
      <Button kind="main" type="submit" disabled={text.trim() === ""}>
        Comment
      </Button>
      <Button onClick={onDone}>Back</Button>
    </form>
  );
}
