import { lazy, Suspense } from "react";
import { Skeleton } from "../ui/parts.tsx";

const Review = lazy(async () => ({ default: (await import("../review/review.tsx")).Review }));

export function Reviewing({ run }: { run: string }) {
  return (
    <Suspense
      fallback={
        <div className="session-body">
          <Skeleton lines={8} />
        </div>
      }
    >
      <Review run={run} />
    </Suspense>
  );
}
