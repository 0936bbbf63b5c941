import { useMemo, useState } from "react";
import { messageOf } from "../../../src/contract/errors.ts";
import { formatBytes } from "../../../src/contract/words/figures.ts";
import { problemText, server } from "../api/client.ts";
import { elsewhere, type Fetched, missingOf, type Request } from "./pieces.ts";

/** Beyond this a page can't show a text, and nobody reads it. */
const LARGEST = 2 * 1024 * 1024;

type Seen = { is: "excerpt" | "loading" | "all" } | { is: "failed"; why: string };

/** How much of a request is shown, and the way to see all of it: what lies elsewhere is fetched first. */
export function useWhole(run: string, request: Request, cwd: string) {
  const [seen, setSeen] = useState<Seen>({ is: "excerpt" });
  const [fetched, setFetched] = useState<Fetched>(new Map());
  const missing = useMemo(() => missingOf(request, cwd, fetched), [request, cwd, fetched]);
  const showAll = async () => {
    setSeen({ is: "loading" });
    try {
      const texts = elsewhere(request).map(
        async (body): Promise<[string, string]> => [body.sha256, await load(run, body)],
      );
      setFetched(new Map(await Promise.all(texts)));
      setSeen({ is: "all" });
    } catch (error) {
      setSeen({ is: "failed", why: messageOf(error) });
    }
  };
  return {
    fetched,
    isWhole: seen.is === "all",
    isLoading: seen.is === "loading",
    /** Nothing is, where all of it is shown. */
    missing: seen.is === "all" ? [] : missing,
    problem: seen.is === "failed" ? seen.why : "",
    showAll,
  };
}

async function load(run: string, { sha256, bytes }: { sha256: string; bytes: number }): Promise<string> {
  const otherwise = "Deny it with a reason, or read it in the run's folder and use `cox answer`.";
  if (bytes > LARGEST) throw new Error(`It has ${formatBytes(bytes)} and can't be shown here. ${otherwise}`);
  try {
    const reply = await server.open("GET /runs/{run}/blobs/{sha256}", { params: { run, sha256 } });
    return await reply.text();
  } catch (error) {
    throw new Error(`It can't be shown: ${problemText(error)} Try again, or deny it with a reason.`, { cause: error });
  }
}
