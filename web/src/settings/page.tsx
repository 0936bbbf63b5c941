import { useState } from "react";
import { askForNotifications, wantsNotifications } from "../api/attention.ts";
import { logOut, who } from "../api/who.ts";
import { useStore } from "../base/store.ts";
import { setTheme, type Theme, theme } from "../base/theme.ts";
import { Button } from "../ui/button.tsx";
import { Check, Segments } from "../ui/parts.tsx";
import { SingleKeys } from "../ui/single-keys.tsx";
import { attempt } from "../ui/toast.tsx";

/** What this browser remembers for itself. */
export function Page() {
  const [notify, setNotify] = useState(wantsNotifications);
  const now = useStore(who);
  return (
    <>
      <div className="panel panel-body settings-part">
        <div className="row wrap">
          <span>Colours</span>
          <Segments<Theme>
            label="Colours"
            value={useStore(theme)}
            options={[
              { value: "system", label: "As the system" },
              { value: "light", label: "Light" },
              { value: "dark", label: "Dark" },
            ]}
            onChange={setTheme}
          />
        </div>
        <Check
          label="Notify me when an agent waits and this tab is hidden"
          checked={notify}
          onChange={(on) => void askForNotifications(on).then(setNotify)}
        />
        <SingleKeys />
      </div>
      {now.state === "known" && (
        <div className="panel panel-body settings-part">
          <p>
            Coxswain {now.version.version}, as <b>{now.version.who}</b>
          </p>
          <p className="muted">Everything lies in {now.version.home} on the machine of the server.</p>
          <div>
            <Button onClick={() => void attempt(logOut())}>Forget this browser</Button>
          </div>
        </div>
      )}
    </>
  );
}
