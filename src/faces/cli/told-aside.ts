import { messageOf } from "../../contract/errors.ts";
import type { Home } from "../../core/store/home.ts";
import { ledgerNotice } from "../../core/store/ledger/ledger.ts";
import type { Context } from "../../lib/command/command.ts";
import { oneLine } from "../../lib/text/printable.ts";

/** Said when a list was read: what it may lack. */
export function sayPassedOver({ stderr }: Pick<Context, "stderr">, home: Home): void {
  const notice = ledgerNotice(home);
  if (notice !== undefined) stderr.write(`cox: ${oneLine(notice)}\n`);
}

/** For whoever only looks: a run whose record can't be completed now, on a full disk say, keeps nobody from the others. */
export const sayNotHealed =
  ({ stderr }: Pick<Context, "stderr">) =>
  (runId: string, error: unknown): void => {
    stderr.write(
      `cox: run ${runId}: lost its host, and its record can't be completed now: ${oneLine(messageOf(error))}\n`,
    );
  };
