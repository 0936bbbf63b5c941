import { useEffect } from "react";
import { ask, who } from "../api/who.ts";
import { useStore } from "../base/store.ts";
import { Button } from "../ui/button.tsx";

/** No cookie: the way in is a link that the server prints, good once. */
export function Stranger() {
  const now = useStore(who);
  const away = now.state === "unreachable";
  useEffect(() => {
    if (!away) return;
    const timer = setInterval(() => void ask(), 3000);
    return () => clearInterval(timer);
  }, [away]);
  const why = now.state === "stranger" || now.state === "unreachable" ? now.why : "";
  return (
    <main className="stranger">
      <img src="/icon.svg" alt="" width="40" height="40" />
      {away ? (
        <>
          <h1>The server is not there</h1>
          <p>{why} Start it, and this page goes on by itself:</p>
          <pre>cox serve</pre>
        </>
      ) : (
        <>
          <h1>Open Coxswain with its link</h1>
          <p>
            {why !== "" && `${why} `}This page shows your agents to nobody else: it opens with a link that works once.
            Print a new one in a terminal, and open it:
          </p>
          <pre>cox serve open</pre>
        </>
      )}
      <Button onClick={() => void ask()}>Try again</Button>
    </main>
  );
}
