import { readProfile } from "../../agents/profile-files.ts";
import { withoutSecrets } from "../../agents/shown-profile.ts";
import type { Context } from "../command.ts";

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
