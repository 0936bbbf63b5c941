import { Link } from "../router.tsx";
import { Screen } from "../ui/parts.tsx";
import { Audit } from "./audit.tsx";
import { Budgets } from "./budgets.tsx";
import { Notifications } from "./notifications.tsx";
import { Page } from "./page.tsx";
import { Rules } from "./rules.tsx";
import { Tokens } from "./tokens.tsx";
import "../style/agents.css";

const parts = [
  { id: "rules", name: "Rules", Part: Rules },
  { id: "budgets", name: "Budgets", Part: Budgets },
  { id: "notifications", name: "Notifications", Part: Notifications },
  { id: "tokens", name: "Tokens", Part: Tokens },
  { id: "audit", name: "Decisions", Part: Audit },
  { id: "page", name: "This page", Part: Page },
] as const;

export function SettingsScreen({ part }: { part: string }) {
  const { id, Part } = parts.find((candidate) => candidate.id === part) ?? parts[0];
  return (
    <Screen title="Settings">
      <div className="settings">
        <nav aria-label="Settings">
          {parts.map((each) => (
            <Link key={each.id} to={`/settings/${each.id}`} aria-current={each.id === id ? "page" : undefined}>
              {each.name}
            </Link>
          ))}
        </nav>
        <div className="settings-part">
          <Part />
        </div>
      </div>
    </Screen>
  );
}
