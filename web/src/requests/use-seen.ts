import { type RefObject, useEffect, useState } from "react";
import { restKeys } from "../base/key-rest.ts";

/** A pixel may be lost in rounding. */
const NEARLY = 2;

/**
 * Whether what scrolls was scrolled to its end: what is below the edge is not shown, and whoever says yes would say it to half of
 * it. What grows afterwards has to be seen anew.
 */
export function useSeen(frame: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>) {
  const [seen, setSeen] = useState(0);
  const [height, setHeight] = useState(0);
  useEffect(() => {
    const box = frame.current;
    if (box === null || content.current === null) return;
    const look = () => {
      setHeight(box.scrollHeight);
      if (box.scrollTop + box.clientHeight >= box.scrollHeight - NEARLY) setSeen(box.scrollHeight);
    };
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(box);
    sizes.observe(content.current);
    box.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      box.removeEventListener("scroll", look);
    };
  }, [frame, content]);
  return {
    hasMore: seen < height - NEARLY,
    /** The next page of it. Keys rest, so that one that is held down doesn't turn all of them. */
    showMore() {
      frame.current?.scrollBy({ top: frame.current.clientHeight * 0.85, behavior: "instant" });
      restKeys();
    },
  };
}
