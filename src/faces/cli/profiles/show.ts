import { readProfile } from "../../../core/agents/profiles/profile-files.ts";
import { withoutSecrets } from "../../../core/agents/profiles/shown-profile.ts";
import type { Context } from "../../../lib/command/command.ts";

/** `cox profile show`: where a secret comes from is shown, the secret isn't. */
export async function showProfile(
  home: string,
  name: string,
  wishes: { json?: boolean },
  { stdout }: Context,
): Promise<number> {
  const shown = withoutSecrets(await readProfile(home, name));
  if (wishes.json) {
    stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    return 0;
  }
  const { stringify } = await import("yaml");
  stdout.write(stringify(shown));
  return 0;
}
