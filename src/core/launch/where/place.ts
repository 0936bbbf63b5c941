import { existsSync, realpathSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import { type ExecutorName, executorNames } from "../../../contract/runs/run.ts";
import { packageRoot } from "../../../lib/files/package-root.ts";
import { imageOf } from "../../agents/launch/container-plan.ts";
import type { Profile } from "../../agents/profiles/profile.ts";
import type { AgentDefinition } from "../../agents/registry/definition.ts";
import { containerPlaces } from "../../executors/container.ts";

/** Where an agent will live, and what it finds there. */
export interface Place {
  on: ExecutorName;
  network: boolean;
  /** Where our own programs are for it. */
  own: { node: string; package: string };
  /** Unless it lives here as we do. */
  isolated: { home: string; image?: string } | undefined;
}

export interface PlaceWishes {
  on?: ExecutorName;
  network?: "on" | "off";
}

/** The command line goes over the profile; an image alone implies a container. */
export function choosePlace(
  wishes: PlaceWishes,
  definition: AgentDefinition,
  profile: Profile | undefined,
  personHome: string,
): Place {
  const image = profile?.image ?? imageOf(definition);
  const on = wishes.on ?? profile?.on ?? (image === undefined ? "local" : "container");
  const network = (wishes.network ?? profile?.network ?? "on") === "on";
  const own = { node: process.execPath, package: packageRoot() };
  if (on === "local") {
    if (wishes.network === "off") {
      throw new AppError(
        "usage.invalid",
        "--network off: on this machine itself it can't be; add --on sandbox or --on container",
      );
    }
    return { on, network: true, own, isolated: undefined };
  }
  refuseImpossible(on, definition, profile);
  if (on === "sandbox") return { on, network, own, isolated: { home: homeInSandbox(personHome) } };
  if (image === undefined) {
    const message = `container: agent ${definition.id} names no image; set image in agents.json, or in a profile: cox profile set NAME --agent ${definition.id} --image IMAGE`;
    throw new AppError("config.invalid", message);
  }
  const { home, package: ours } = containerPlaces;
  return { on, network, own: { node: "node", package: ours }, isolated: { home, image } };
}

function refuseImpossible(on: ExecutorName, { id, protocol }: AgentDefinition, profile: Profile | undefined): void {
  if (protocol === "rest") {
    const message = `${on}: agent ${id} has no program that could be started there: it is a model behind an API; use --on local`;
    throw new AppError("usage.invalid", message);
  }
  if (profile?.home === "own") {
    const message = `home own: in a ${on} an agent never has your home; set it to private (kept between runs) or leave it out, and give the profile a token`;
    throw new AppError("config.invalid", message);
  }
}

/** Under the person's own name for it, which is what the system says too; somewhere, where that doesn't exist. */
const homeInSandbox = (home: string): string => (existsSync(home) ? realpathSync(home) : "/tmp/home");

export function requireExecutorName(word: string): ExecutorName {
  const name = executorNames.find((known) => known === word);
  if (name !== undefined) return name;
  const why = word === "kubernetes" ? "only `cox run` can" : "unknown";
  throw new AppError(
    "usage.invalid",
    `--on ${word}: ${why}; choose ${executorNames.join(", ")}, or kubernetes with \`cox run\``,
  );
}

export function requireNetwork(word: string): "on" | "off" {
  if (word === "on" || word === "off") return word;
  throw new AppError("usage.invalid", `--network ${word}: use on or off`);
}
