import { useEffect, useState } from "react";
import { AppError } from "../../../src/contract/errors.ts";
import { formatBytes } from "../../../src/contract/words/figures.ts";
import { problemText, server } from "../api/client.ts";
import { address, Link } from "../router.tsx";
import { Ansi } from "../text/ansi.tsx";
import { Button } from "../ui/button.tsx";
import { Skeleton } from "../ui/parts.tsx";

/** What lies in the run's folder, as it is. */
const files = [
  { file: "output.md", says: "its answer" },
  { file: "prompt.md", says: "what it was asked" },
  { file: "agent-stdout.txt", says: "the raw stream" },
  { file: "agent-stderr.txt", says: "what it printed besides" },
  { file: "events.jsonl", says: "the events made of it" },
  { file: "run-info.yaml", says: "the record" },
] as const;
type FileName = (typeof files)[number]["file"];

const PART = 128 * 1024;

export function Files({ run, file }: { run: string; file: string }) {
  const chosen = files.find((each) => each.file === file)?.file ?? "output.md";
  return (
    <div className="session-body files">
      <nav className="files-list" aria-label="Files of the run">
        {files.map(({ file: name, says }) => (
          <Link
            key={name}
            to={`${address("runs", run, "files")}?file=${name}`}
            aria-current={name === chosen ? "page" : undefined}
          >
            <span className="mono">{name}</span>
            <small>{says}</small>
          </Link>
        ))}
      </nav>
      <FileText key={chosen} run={run} file={chosen} />
    </div>
  );
}

/** Some are written at the end of a run, or only when there is something to write. */
const whyNot = (error: unknown): string =>
  error instanceof AppError && error.code === "file.not_found" ? "Nothing was written there yet." : problemText(error);

function FileText({ run, file }: { run: string; file: FileName }) {
  const [text, setText] = useState<string>();
  const [problem, setProblem] = useState("");
  const [total, setTotal] = useState(0);
  const [limit, setLimit] = useState(PART);
  useEffect(() => {
    const stop = new AbortController();
    server
      .open(
        "GET /runs/{run}/files/{file}",
        { params: { run, file } },
        { signal: stop.signal, headers: { range: `bytes=0-${limit - 1}` } },
      )
      .then(async (reply) => {
        const range = /\/(\d+)$/.exec(reply.headers.get("content-range") ?? "")?.[1];
        const body = await reply.text();
        setText(body);
        setTotal(range === undefined ? body.length : Number(range));
      })
      .catch((error: unknown) => stop.signal.aborted || setProblem(whyNot(error)));
    return () => stop.abort();
  }, [run, file, limit]);
  if (problem !== "") return <p className="muted">{problem}</p>;
  if (text === undefined) return <Skeleton lines={8} />;
  return (
    <div className="file-text">
      <div className="row">
        <span className="muted">{formatBytes(total)}</span>
        <span className="grow" />
        <a className="button" href={`/api/v1/runs/${encodeURIComponent(run)}/files/${file}?download=true`}>
          Download
        </a>
      </div>
      {text === "" ? (
        <p className="muted">It is empty.</p>
      ) : (
        <pre className="output" tabIndex={0} aria-label={file}>
          <Ansi text={text} />
        </pre>
      )}
      {total > limit && (
        <Button kind="quiet" onClick={() => setLimit(limit * 4)}>
          Show more
        </Button>
      )}
    </div>
  );
}
