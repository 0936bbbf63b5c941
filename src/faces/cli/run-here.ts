import { exitCodeOfRun } from "../../contract/runs/ending.ts";
import type { RunRequest } from "../../contract/runs/request.ts";
import { openDetached } from "../../core/launch/detach.ts";
import { type NamedRun, openRun, tellRun } from "../../core/runs/run-access.ts";
import type { Context } from "../../lib/command/command.ts";
import { foreground } from "./foreground.ts";
import { CtrlC } from "./view/ctrl-c.ts";
import { type Hands, watchRun, wayBack } from "./watch-run.ts";

interface Wishes {
  json?: boolean | undefined;
  quiet?: boolean | undefined;
  interactive?: boolean | undefined;
  "no-detach"?: boolean | undefined;
}

/**
 * `cox run`, as it is seen from where it was typed. At a terminal it is a view on a host of its own: a window that is closed, a
 * connection that is lost ends the view and not the run. Elsewhere (a pipe, a job of CI) it is one process: whoever ends that, or
 * its group, means the run.
 */
export function runHere(request: RunRequest, wishes: Wishes, context: Context): Promise<number> {
  const isAtTerminal = context.stdin.isTTY && context.stdout.isTTY;
  return isAtTerminal && !wishes["no-detach"] ? view(request, wishes, context) : foreground(request, wishes, context);
}

async function view(request: RunRequest, { json, quiet }: Wishes, context: Context): Promise<number> {
  const host = await openDetached(request, context.env);
  try {
    for (let { started } = host; ; ) {
      for (const notice of started.notices) context.stderr.write(`${notice}\n`);
      const named = await openRun(context, started.runId);
      const info = await watchRun(named, { from: 0, json, quiet, hands: handsOn(context) }, context);
      if (info === undefined) {
        context.stderr.write(wayBack(named));
        return 0;
      }
      const next = await host.next();
      if (next === undefined) return exitCodeOfRun(info);
      started = next;
    }
  } finally {
    host.letGo();
  }
}

const handsOn =
  (context: Context) =>
  (named: NamedRun): Hands => {
    const ctrlC = new CtrlC((command) => tellRun(named, command, context));
    return {
      interrupt: ctrlC.press,
      interruptKey: () => ctrlC.next("interrupts, Ctrl-] leaves, ? keys"),
      end: () => ctrlC.stop(),
      terminate: () => ctrlC.stop("SIGTERM"),
      saw: (events) => ctrlC.saw(events),
    };
  };
