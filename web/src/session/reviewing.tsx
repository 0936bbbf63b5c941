import { Suspense } from "react";
import { lazyScreen } from "../ui/lazy-screen.ts";
import { Skeleton } from "../ui/parts.tsx";
import type { Conversation } from "./conversation.ts";
import { Reported } from "./reported.tsx";

const Review = lazyScreen(async () => (await import("../review/review.tsx")).Review);

export function Reviewing({ conversation }: { conversation: Conversation }) {
  return (
    <Suspense
      fallback={
        <div className="session-body">
          <Skeleton lines={8} />
        </div>
      }
    >
      <Review run={conversation.run} otherwise={<Reported conversation={conversation} />} />
    </Suspense>
  );
}
