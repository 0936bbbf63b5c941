/** Something that one tab of this browser does for all of them. */
export interface Shared<T> {
  /** Does it, as long as the tab is there; what it tells is heard in every tab, here too. */
  lead: (tell: (told: T) => void, signal: AbortSignal) => Promise<never>;
  hear: (told: T) => void;
  /** What a tab that joins later is told at once. */
  greet: () => T;
}

/** The tab that holds the lock leads; when it is closed the next one does. */
export function inOneTab<T>(name: string, { lead, hear, greet }: Shared<T>): void {
  const signal = new AbortController().signal;
  // Without locks (plain http from another machine) every tab is its own.
  if (!("locks" in navigator) || typeof BroadcastChannel === "undefined") {
    void lead(hear, signal);
    return;
  }
  const channel = new BroadcastChannel(name);
  const tell = (told: T) => {
    hear(told);
    channel.postMessage({ told });
  };
  let leads = false;
  channel.addEventListener("message", ({ data }: MessageEvent<{ told: T } | { asks: true }>) => {
    if ("told" in data) hear(data.told);
    else if (leads) channel.postMessage({ told: greet() });
  });
  channel.postMessage({ asks: true });
  void navigator.locks.request(name, async () => {
    leads = true;
    await lead(tell, signal);
  });
}
