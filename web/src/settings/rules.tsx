import { server } from "../api/client.ts";
import { useApi } from "../api/query.ts";
import { cut, revealed } from "../base/safe-text.ts";
import { dateTime } from "../base/times.ts";
import { IconButton } from "../ui/button.tsx";
import { Empty, Loaded } from "../ui/parts.tsx";
import { Pill } from "../ui/pill.tsx";
import { attempt } from "../ui/toast.tsx";

/** What “always” stored. Each is one action, exactly. */
export function Rules() {
  const rules = useApi("GET /rules", {});
  const revoke = async (rule: string) => {
    await attempt(
      server.call("DELETE /rules/{rule}", { params: { rule } }),
      "Revoked: from now on you are asked again.",
    );
    rules.reload();
  };
  return (
    <Loaded answer={rules}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="lock" title="No rules">
            “Allow always” in the inbox stores one: the same action is then allowed without asking.
          </Empty>
        ) : (
          <div className="panel scroll-x">
            <table className="table">
              <thead>
                <tr>
                  <th>Decision</th>
                  <th>Action</th>
                  <th>Where</th>
                  <th>Made</th>
                  <th />
                </tr>
              </thead>
              <tbody>
                {items.map(({ id, decision, kind, match, project, agent, created, by }) => (
                  <tr key={id}>
                    <td>
                      <Pill tone={decision === "allow" ? "good" : "bad"}>{decision}</Pill>
                    </td>
                    <td>
                      {kind} <code>{cut(revealed(match), 200)}</code>
                    </td>
                    <td>
                      {project === "" ? "every project" : project}
                      {agent === "" ? "" : `, ${agent}`}
                    </td>
                    <td>
                      {dateTime(created)}
                      <br />
                      <small>{by}</small>
                    </td>
                    <td>
                      <IconButton icon="trash" label="Revoke" onClick={() => void revoke(id)} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Loaded>
  );
}
