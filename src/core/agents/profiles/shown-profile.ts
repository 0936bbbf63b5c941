import type { Profile } from "./profile.ts";
import { isReference } from "./secrets.ts";

const HIDDEN = "(hidden)";

/** Where a secret comes from is shown, the secret isn't. */
export function withoutSecrets(profile: Profile): Profile {
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
