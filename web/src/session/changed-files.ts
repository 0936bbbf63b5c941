import { useEffect } from "react";
import type { RecordedEvent } from "../../../src/contract/events.ts";
import { changed } from "../api/query.ts";
import type { Conversation } from "./conversation.ts";

/** A burst of tools is looked at once. */
const SETTLE_MS = 400;

/** Whoever looks at what the run changed sees it change. */
export function useChangedFiles(conversation: Conversation): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      timer = undefined;
      const about = `{"params":{"run":${JSON.stringify(conversation.run)}`;
      changed(`GET /runs/{run}/workspace/diff ${about}`, `GET /runs/{run}/workspace/checkpoints ${about}`);
    };
    const stop = conversation.onEvents((events) => {
      if (events.some(mayChangeFiles)) timer ??= setTimeout(look, SETTLE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [conversation]);
}

const mayChangeFiles = (event: RecordedEvent): boolean =>
  event.type === "complete" ||
  (event.type === "tool_update" && (event.toolStatus === "completed" || event.toolStatus === "failed"));
