import { AppError } from "../../contract/errors.ts";
import { taintRule } from "../operator/allow/tolerations.ts";
import { isCidr, resolverOf } from "../operator/fence/network-policy.ts";

/** Said now: an operator that is started with half a fence starts no agent, and far from whoever wrote it. */
export function checkLists(lists: {
  egress: readonly string[] | undefined;
  dns: readonly string[] | undefined;
  allowedTolerations: readonly string[] | undefined;
}): void {
  const bad = lists.egress?.find((text) => !isCidr(text));
  if (bad !== undefined) {
    throw new AppError("usage.invalid", `--egress ${JSON.stringify(bad)}: use addresses as CIDR, such as 10.0.0.0/8`);
  }
  for (const text of lists.dns ?? []) resolverOf(text);
  for (const text of lists.allowedTolerations ?? []) taintRule(text);
}
