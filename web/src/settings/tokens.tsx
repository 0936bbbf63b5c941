import { useState } from "react";
import { server } from "../api/client.ts";
import { useApi } from "../api/query.ts";
import { dateTime } from "../base/times.ts";
import { ask } from "../ui/ask.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton, Field, Loaded } from "../ui/parts.tsx";
import { attempt } from "../ui/toast.tsx";

type Scope = "read" | "import" | "all";
const scopes: readonly { scope: Scope; says: string }[] = [
  { scope: "read", says: "look at everything" },
  { scope: "import", says: "bring in finished runs" },
  { scope: "all", says: "everything you can do" },
];

/** For programs. A value is shown once, when it is made. */
export function Tokens() {
  const tokens = useApi("GET /tokens", {});
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("read");
  const [made, setMade] = useState("");
  const make = async () => {
    const making = server.call("POST /tokens", { body: { name: name.trim(), scope } });
    const done = await attempt(making.then(({ token }) => setMade(token)));
    if (done) setName("");
    tokens.reload();
  };
  const revoke = async (token: string, called: string) => {
    const sure = await ask({
      title: `Revoke ${called}?`,
      text: "Whoever uses it is refused from now on.",
      yes: "Revoke",
      danger: true,
    });
    if (sure === undefined) return;
    await attempt(server.call("DELETE /tokens/{token}", { params: { token } }));
    tokens.reload();
  };
  return (
    <>
      <form
        className="panel panel-body inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "") void make();
        }}
      >
        <Field label="Name of the new token">
          {(id) => <input id={id} value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Field label="It may">
          {(id) => (
            <select id={id} value={scope} onChange={(event) => setScope(event.target.value as Scope)}>
              {scopes.map((each) => (
                <option key={each.scope} value={each.scope}>
                  {each.says}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Button kind="main" type="submit" disabled={name.trim() === ""}>
          Make it
        </Button>
      </form>
      {made !== "" && (
        <div className="notice" role="status">
          <span className="grow">
            Shown this once: <code>{made}</code>
          </span>
          <CopyButton text={made} label="Copy the token" />
        </div>
      )}
      <Loaded answer={tokens}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="muted">No tokens. The page itself needs none.</p>
          ) : (
            <div className="panel scroll-x">
              <table className="table">
                <tbody>
                  {items.map((token) => (
                    <tr key={token.id}>
                      <td>
                        <b>{token.name}</b>
                      </td>
                      <td>{scopes.find((each) => each.scope === token.scope)?.says}</td>
                      <td className="one-line">made {dateTime(token.created)}</td>
                      <td className="one-line">
                        {token.last_used ? `used ${dateTime(token.last_used)}` : "never used"}
                      </td>
                      <td>
                        <IconButton
                          icon="trash"
                          label={`Revoke ${token.name}`}
                          onClick={() => void revoke(token.id, token.name)}
                        />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </>
  );
}
