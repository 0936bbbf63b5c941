import type { EventOf } from "../../../src/contract/events.ts";
import { excerpt, notShown } from "../../../src/contract/requests/excerpt.ts";
import { DiffView } from "../text/diff-view.tsx";
import { Excerpted } from "../text/excerpted.tsx";
import { type Fetched, most, type Piece, piecesOf } from "./pieces.ts";

/** Everything that would be done, piece by piece: excerpts, or all of it. */
export function What({
  request,
  cwd,
  isWhole,
  fetched,
}: {
  request: EventOf<"permission_request">;
  cwd: string;
  isWhole: boolean;
  fetched: Fetched;
}) {
  return piecesOf(request, cwd, fetched).map((piece, i) => <PieceView key={i} piece={piece} isWhole={isWhole} />);
}

function PieceView({ piece, isWhole }: { piece: Piece; isWhole: boolean }) {
  const limit = (at: number) => (isWhole ? Infinity : at);
  switch (piece.is) {
    case "words":
      return (
        <p className="pre-line">
          <Excerpted text={piece.text} most={limit(piece.most)} />
        </p>
      );
    case "command":
      return (
        <pre className="request-command">
          <Excerpted text={piece.text} most={limit(piece.most)} />
        </pre>
      );
    case "address":
      return (
        <code className="request-url">
          <Excerpted text={piece.text} most={limit(piece.most)} />
        </code>
      );
    case "folder":
      return (
        <p className="muted">
          in <Excerpted text={piece.text} most={limit(piece.most)} />
        </p>
      );
    case "paths":
      return <Paths paths={piece.paths} isWhole={isWhole} />;
    case "diff":
    case "text":
      return (
        <figure className="request-diff">
          <figcaption>
            <Excerpted text={piece.name} most={limit(most.path)} /> <span className="muted">{piece.diff.change}</span>
          </figcaption>
          {piece.is === "diff" ? (
            <DiffView
              unified={piece.unified}
              path={piece.diff.path}
              most={most.lines}
              approving={isWhole ? "all" : "excerpt"}
            />
          ) : (
            <pre className="request-command">
              <Excerpted text={piece.text} most={limit(piece.most)} />
            </pre>
          )}
        </figure>
      );
  }
}

function Paths({ paths, isWhole }: { paths: readonly string[]; isWhole: boolean }) {
  const { head, tail, hidden } = excerpt(paths, isWhole ? Infinity : most.paths);
  const lines = (part: readonly string[]) =>
    part.map((path, i) => (
      <li key={i}>
        <Excerpted text={path} most={isWhole ? Infinity : most.path} />
      </li>
    ));
  return (
    <ul className="mono">
      {lines(head)}
      {hidden > 0 && (
        <li>
          <mark className="not-shown">… {notShown(hidden, "path")} …</mark>
        </li>
      )}
      {lines(tail)}
    </ul>
  );
}
