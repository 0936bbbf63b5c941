import { type ExecutorName, SOCKET_INSIDE } from "../../contract/runs/run.ts";
import { type LocalProcess, type LocalSpec, startLocal } from "./local.ts";

/** Where an agent's process lives. */
export interface Executor {
  readonly name: ExecutorName;
  /** What the agent has instead of our folders; undefined where it sees them as we do. */
  readonly inside?: Inside;
  /** It is started by a program of this machine; else that is the image's affair. */
  readonly hasOurPrograms: boolean;
  readonly network: boolean;
  /** Whether a variable of the caller's means anything there. */
  inherits(name: string): boolean;
  start(spec: LocalSpec): Promise<LocalProcess>;
}

/** The only places of ours that a fenced-in agent has, by the names it knows them by. */
export interface Inside {
  /** Empty and writable: the host takes what is left there at the end. */
  readonly runFolder: string;
  /** What a protocol hands over in a file. */
  readonly privateDir: string;
  readonly socket: string;
  /** Its own git directory, where the workspace has a file in place of one. */
  readonly git: string;
  /** Under here: those of submodules. */
  readonly modules: string;
  /** Under here: objects of the person's repository, to be read. */
  readonly objects: string;
}

/** The same in every isolating executor, so that an agent can be told before it is started. */
export const inside: Inside = {
  runFolder: "/run/coxswain/run",
  privateDir: "/run/coxswain/private",
  socket: SOCKET_INSIDE,
  git: "/run/coxswain/git",
  modules: "/run/coxswain/modules",
  objects: "/run/coxswain/objects",
};

export const localExecutor: Executor = {
  name: "local",
  hasOurPrograms: true,
  network: true,
  inherits: () => true,
  start: startLocal,
};
