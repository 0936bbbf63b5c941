import { useEffect } from "react";
import { useApi } from "../api/query.ts";
import { useStore } from "../base/store.ts";
import { address, Link } from "../router.tsx";
import { Empty, Loaded, Screen } from "../ui/parts.tsx";
import { followTerminals, type Tile, tiles } from "./stream.ts";
import { TerminalPill } from "./terminal-pill.tsx";
import "../style/terminals.css";

/** All hosted terminals at a glance; one click attaches. */
export function TerminalsScreen() {
  const answer = useApi("GET /terminals", {});
  return (
    <Screen title="Terminals">
      <Loaded answer={answer}>{({ hub }) => (hub ? <Tiles /> : <WithoutHub />)}</Loaded>
    </Screen>
  );
}

function WithoutHub() {
  return (
    <Empty icon="terminal" title="This server has no hub">
      <p>Agents that run in terminals of their own, here or in pods, register with a hub and appear on this page.</p>
      <code>cox serve --hub</code>
    </Empty>
  );
}

function Tiles() {
  useEffect(followTerminals, []);
  const { items, state } = useStore(tiles);
  if (items.size === 0) {
    return (
      <Empty
        icon="terminal"
        title={state === "lost" ? "The connection is lost; trying again" : "No terminal is registered"}
      >
        <p>Start an agent in a terminal of its own:</p>
        <code>COOP_MUX_URL=http://127.0.0.1:9800 cox agent start --local</code>
      </Empty>
    );
  }
  const ordered = [...items.values()].sort((a, b) => a.id.localeCompare(b.id));
  return (
    <div className="tiles">
      {ordered.map((tile) => (
        <TileView key={tile.id} tile={tile} />
      ))}
    </div>
  );
}

/** Enough to see what is going on; the terminal itself is a click away. */
const SHOWN_ROWS = 24;

function TileView({ tile }: { tile: Tile }) {
  const { id, lines, metadata, state } = tile;
  const { role, agent } = metadata;
  const about = [role, agent].filter((part) => typeof part === "string" && part !== "").join(" · ");
  return (
    <article className="tile" data-terminal={id}>
      <header className="row">
        <h2 className="one-line grow">
          <Link to={address("terminals", id)}>{id}</Link>
        </h2>
        <TerminalPill state={state} />
      </header>
      <pre className="tile-screen" aria-label={`What ${id} shows`}>
        {lastUsed(lines).join("\n")}
      </pre>
      {about !== "" && <small className="one-line">{about}</small>}
    </article>
  );
}

/** The rows up to the last one that holds something: a new terminal is mostly empty. */
function lastUsed(lines: readonly string[]): readonly string[] {
  const end = lines.findLastIndex((line) => line.trim() !== "") + 1;
  return lines.slice(Math.max(0, end - SHOWN_ROWS), end);
}
