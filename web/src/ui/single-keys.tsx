import { setSingleKeys, singleKeys } from "../base/single-keys.ts";
import { useStore } from "../base/store.ts";
import { Check } from "./parts.tsx";

export function SingleKeys() {
  return (
    <Check
      label="Single keys"
      hint="Letters and digits do what the keycaps show. Off, only keys with Ctrl or Command do something."
      checked={useStore(singleKeys)}
      onChange={setSingleKeys}
    />
  );
}
