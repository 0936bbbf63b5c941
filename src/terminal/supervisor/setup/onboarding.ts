import { realpathSync } from "node:fs";
import type { Step } from "../step.ts";
import { isObject, type Json, mergeDeep, readObject, writeObject } from "./json-file.ts";

/** Answers what Claude asks at its first start, before it asks. What it keeps there itself is left as it is. */
export const onboarding: Step = {
  name: "onboarding",
  run({ settings, places, env }) {
    const before = readObject(places.claudeJson);
    const folders = new Set([settings.workspace, realpathSync(settings.workspace)]);
    writeObject(places.claudeJson, onboarded(before, [...folders], env.ANTHROPIC_API_KEY));
    return {};
  },
};

export function onboarded(before: Json, workspaces: readonly string[], apiKey: string | undefined): Json {
  const trusted = Object.fromEntries(workspaces.map((path) => [path, { hasTrustDialogAccepted: true }]));
  const answered = {
    hasCompletedOnboarding: true,
    bypassPermissionsModeAccepted: true, // what older versions look at
    projects: trusted,
    ...(apiKey ? { customApiKeyResponses: { approved: [suffix(apiKey)], rejected: [] } } : {}),
  };
  return withoutRefusal(mergeDeep(before, answered), apiKey);
}

/** A key is remembered by its end. */
const suffix = (key: string): string => key.slice(-20);

/** A key that was once refused would be refused for good. */
function withoutRefusal(json: Json, apiKey: string | undefined): Json {
  const { customApiKeyResponses: responses } = json;
  if (!apiKey || !isObject(responses) || !Array.isArray(responses.rejected)) return json;
  const rejected = responses.rejected.filter((one) => one !== suffix(apiKey));
  return { ...json, customApiKeyResponses: { ...responses, rejected } };
}
