import { keyName, useKeyLayers, useKeys } from "../base/keys.ts";
import { useStore } from "../base/store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { SingleKeys } from "../ui/single-keys.tsx";
import { help } from "./help-state.ts";

/** The keys that work here and now: the list is made of what is bound. */
export function Help() {
  const open = useStore(help);
  const layers = useKeyLayers();
  useKeys("Everywhere", [{ keys: "?", says: "This help", do: () => help.set(true) }]);
  if (!open) return null;
  const groups = new Map<string, { keys: string; says: string }[]>();
  for (const { title, bindings } of layers) {
    if (bindings.length > 0) groups.set(title, [...(groups.get(title) ?? []), ...bindings]);
  }
  return (
    <Dialog title="Keys" wide onClose={() => help.set(false)}>
      <SingleKeys />
      <div className="help-grid">
        {[...groups].toReversed().map(([title, bindings]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {bindings.map(({ keys, says }) => (
                <Key key={keys} keys={keys} says={says} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Key({ keys, says }: { keys: string; says: string }) {
  return (
    <>
      <dt className="row">
        {keys.split(" ").map((key) => (
          <kbd key={key}>{keyName(key)}</kbd>
        ))}
      </dt>
      <dd>{says}</dd>
    </>
  );
}
