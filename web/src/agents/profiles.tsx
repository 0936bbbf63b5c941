import type { Result } from "../../../src/contract/api/index.ts";
import { server } from "../api/client.ts";
import { ask } from "../ui/ask.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { attempt } from "../ui/toast.tsx";

export type Profile = Result<"GET /profiles">["items"][number];

export function Profiles({
  items,
  onEdit,
  onChange,
}: {
  items: readonly Profile[];
  onEdit: (name: string, agent: string) => void;
  onChange: () => void;
}) {
  const remove = async (name: string) => {
    const sure = await ask({
      title: `Remove the profile ${name}?`,
      text: "Runs that used it stay.",
      yes: "Remove",
      danger: true,
    });
    if (sure === undefined) return;
    await attempt(server.call("DELETE /profiles/{profile}", { params: { profile: name } }));
    onChange();
  };
  if (items.length === 0)
    return (
      <p className="muted">
        None yet. A profile is an agent with a model, a policy and settings, under a name you choose.
      </p>
    );
  return (
    <div className="panel scroll-x">
      <table className="table">
        <thead>
          <tr>
            <th>Name</th>
            <th>Agent</th>
            <th>Model</th>
            <th>Settings</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {items.map(({ name, profile, problem }) => (
            <tr key={name}>
              <td>
                <b>{name}</b>
                {problem && <div className="removed">{problem}</div>}
              </td>
              <td>{textOf(profile.agent)}</td>
              <td>{textOf(profile.model)}</td>
              <td className="mono">
                {Object.entries(profile)
                  .filter(([key]) => key !== "agent" && key !== "model")
                  .map(([key, value]) => `${key}: ${textOf(value)}`)
                  .join(", ")
                  .slice(0, 200)}
              </td>
              <td>
                <div className="row">
                  <Button onClick={() => onEdit(name, textOf(profile.agent))}>Edit</Button>
                  <IconButton icon="trash" label={`Remove ${name}`} onClick={() => void remove(name)} />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
