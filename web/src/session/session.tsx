import { useEffect, useState } from "react";
import { setTitle } from "../api/attention.ts";
import { cut, oneLine } from "../base/safe-text.ts";
import { useStore } from "../base/store.ts";
import { Link, usePlace } from "../router.tsx";
import { RunTree } from "../tasks/run-tree.tsx";
import { Failed, Screen, Skeleton } from "../ui/parts.tsx";
import { useChangedFiles } from "./changed-files.ts";
import { Conversation } from "./conversation.ts";
import { Dock } from "./dock.tsx";
import { Files } from "./files.tsx";
import { Reviewing } from "./reviewing.tsx";
import { SessionHead } from "./session-head.tsx";
import { Side } from "./side.tsx";
import { TranscriptList } from "./transcript-list.tsx";
import "../style/session.css";
import "../style/text.css";

export type SessionView = "talk" | "review" | "files" | "runs";
const views: readonly string[] = ["talk", "review", "files", "runs"] satisfies SessionView[];

/** One run: what was said and done, and the ways to take part. */
export function SessionScreen({ run, view }: { run: string; view: string }) {
  const [conversation] = useState(() => new Conversation(run));
  useFollowing(conversation);
  useChangedFiles(conversation);
  const { state, problem, detail } = useStore(conversation.view);
  const title = detail === undefined ? "Session" : cut(oneLine(detail.title), 120);
  useEffect(() => setTitle(title), [title]);
  if (state === "failed") {
    return (
      <Screen title="Session">
        <Failed error={new Error(problem)} onRetry={() => void conversation.open()} />
        <p>
          <Link to="/">Back to the board</Link>
        </p>
      </Screen>
    );
  }
  const shown = views.includes(view) ? (view as SessionView) : "talk";
  return (
    <main className="session" id="content" tabIndex={-1}>
      <SessionHead conversation={conversation} view={shown} />
      {detail === undefined ? (
        <div className="session-body">
          <Skeleton lines={8} />
        </div>
      ) : (
        <Body conversation={conversation} view={shown} />
      )}
    </main>
  );
}

function Body({ conversation, view }: { conversation: Conversation; view: SessionView }) {
  const { query } = usePlace();
  switch (view) {
    case "review":
      return <Reviewing conversation={conversation} />;
    case "files":
      return <Files run={conversation.run} file={query.get("file") ?? "output.md"} />;
    case "runs":
      return <RunTree run={conversation.run} />;
    case "talk":
      return (
        <div className="talk">
          <div className="talk-main">
            <TranscriptList conversation={conversation} goTo={Number(query.get("event") ?? 0)} />
            <Dock conversation={conversation} />
          </div>
          <Side conversation={conversation} />
        </div>
      );
  }
}

/** A tab that nobody looks at gives its connection back: a browser has six of them for all its tabs. */
function useFollowing(conversation: Conversation): void {
  useEffect(() => {
    void conversation.open();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let paused = false;
    const look = () => {
      clearTimeout(timer);
      if (document.hidden) {
        timer = setTimeout(() => {
          paused = true;
          conversation.close();
        }, 60_000);
      } else if (paused) {
        paused = false;
        void conversation.open();
      }
    };
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
      conversation.close();
    };
  }, [conversation]);
}
