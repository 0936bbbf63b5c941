import { formatDuration } from "../../../src/contract/words/figures.ts";
import { connection } from "../api/live.ts";
import { useStore } from "../base/store.ts";
import { useNow } from "../base/use-now.ts";
import { Icon } from "../ui/icon.tsx";

/** Honest about what is shown: it may be old, and it will catch up by itself. */
export function Offline() {
  const now = useStore(connection);
  return <div className="banner">{now.state === "lost" && <Lost since={now.since} why={now.why} />}</div>;
}

function Lost({ since, why }: { since: number; why: string }) {
  const now = useNow(1000);
  return (
    <div className="notice warn" role="alert">
      <Icon name="warn" />
      <span>
        No connection for {formatDuration(now - since)}. {why === "" ? "" : `${why} `}What you see may be old; the page
        reconnects by itself and catches up. Agents go on working.
      </span>
    </div>
  );
}
