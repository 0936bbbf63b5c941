import { useEffect, useState } from "react";

/** The time, again and again; not while nobody looks. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
