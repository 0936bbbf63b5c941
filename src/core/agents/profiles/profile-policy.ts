import type { PermissionMode, Policy } from "../../../contract/requests/policy.ts";
import type { Profile } from "./profile.ts";

/** The profile's part of a run's policy; undefined where it says nothing. */
export function policyOf({ permissions }: Profile): { default?: PermissionMode; kinds?: Policy["kinds"] } {
  if (permissions === undefined) return {};
  if (typeof permissions === "string") return { default: permissions };
  const { default: byDefault, ...kinds } = permissions;
  return { default: byDefault, kinds };
}
