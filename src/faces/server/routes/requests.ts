import type { requestRoutes } from "../../../contract/api/requests.ts";
import { AppError } from "../../../contract/errors.ts";
import { appendAudit, readAudit } from "../../../core/store/audit.ts";
import { makeRule, readRules, removeRule } from "../../../core/store/rules.ts";
import type { Handlers } from "../api/handlers.ts";
import type { ServerPorts } from "../ports.ts";
import { openRequests } from "../runs/open-requests.ts";
import type { Runs } from "../runs/runs.ts";

/** What agents wait for, what was decided for good, and who decided what. */
export function requestHandlers({ home, clock }: ServerPorts, runs: Runs): Handlers<keyof typeof requestRoutes> {
  const now = () => new Date(clock.now()).toISOString();
  return {
    "GET /inbox": () => ({ items: openRequests(home, runs.index, runs.folds) }),

    "GET /rules": () => ({ items: readRules(home) }),

    "POST /rules": ({ body }, { by }) => {
      const rule = makeRule(home, body, by, clock.now());
      appendAudit(home, { at: now(), what: "rule.made", who: by, data: { ...rule } });
      return rule;
    },

    "DELETE /rules/{rule}": ({ params: { rule: id } }, { by }) => {
      const rule = removeRule(home, id);
      appendAudit(home, { at: now(), what: "rule.removed", who: by, data: { ...rule } });
      return undefined;
    },

    "GET /audit": ({ query: { limit, cursor } }) => {
      if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) {
        throw new AppError("usage.invalid", "cursor: not one of this list; begin again without it");
      }
      const { items, next } = readAudit(home, limit, cursor === undefined ? undefined : Number(cursor));
      const records = items.map(({ data, ...entry }) => (data === undefined ? entry : { ...entry, data: { ...data } }));
      return next === undefined ? { items: records } : { items: records, next: String(next) };
    },
  };
}
