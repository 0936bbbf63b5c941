import type { Profile } from "../../agents/profile.ts";
import { readProfile } from "../../agents/profile-files.ts";
import { isReference } from "../../agents/secrets.ts";
import type { Context } from "../command.ts";

const HIDDEN = "(hidden)";

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

function withoutSecrets(profile: Profile): Profile {
  const { token, env, mcp_servers } = profile;
  const servers = Object.entries(mcp_servers ?? {}).map(([name, server]) => {
    const { url } = server;
    const shown = {
      ...server,
      env: hideAll(server.env),
      headers: hideAll(server.headers),
      ...(url === undefined ? {} : { url: url.replace(/\?.*/, `?${HIDDEN}`) }),
    };
    return [name, shown] as const;
  });
  return {
    ...profile,
    ...(token === undefined ? {} : { token: hide(token) }),
    // Values of plain variables are hidden as well: nobody can tell which of them is a key.
    ...(env === undefined ? {} : { env: Object.fromEntries(Object.keys(env).map((key) => [key, HIDDEN])) }),
    ...(mcp_servers === undefined ? {} : { mcp_servers: Object.fromEntries(servers) }),
  };
}

const hide = (text: string) => (isReference(text) ? text : HIDDEN);
const hideAll = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([key, text]) => [key, hide(text)]));
