import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { BusMessage } from "../../../../contract/bus.ts";
import { plural } from "../../../../contract/words/figures.ts";
import { readMessages, sizeOf } from "../../../../core/store/bus/bus-reader.ts";
import { at, line } from "../../../../core/workspaces/git/git.ts";
import { uncommittedFiles } from "../../../../core/workspaces/worktrees/work-left.ts";
import { type Context } from "../../../../lib/command/command.ts";
import { writeFileAtomic } from "../../../../lib/files/atomic-file.ts";
import { errnoOf } from "../../../../lib/files/disk-error.ts";
import { printable } from "../../../../lib/text/printable.ts";
import { messageLines } from "../bus/message-line.ts";
import { placeOf } from "../bus/place.ts";

/** At most this many messages at a time: a conversation is not a mailbox. */
const LIMIT = 20;

/** An agent's desk: its project's messages and how far it has read them, and the notes that were left for it. */
export class Desk {
  readonly #context: Context;
  readonly #bus: string;
  readonly #cursorFile: string;
  readonly #queue: string;
  readonly state: string;

  static async open(context: Context): Promise<Desk> {
    const { env } = context;
    const project = env.BOAT_PROJECT || undefined;
    const place = await placeOf({ project }, context);
    return new Desk(context, place.path, place.project);
  }

  private constructor(context: Context, bus: string, project: string) {
    const { env } = context;
    this.#context = context;
    this.#bus = bus;
    this.state = env.XDG_STATE_HOME || join(env.HOME || homedir(), ".local", "state");
    this.#cursorFile = join(this.state, "mail", `${project}.cursor`);
    this.#queue = env.BOAT_QUEUE_DIR || join(this.state, "queue");
  }

  /** Who it is, where it stands. For the beginning of a conversation, and when an old one is shortened. */
  async prime(): Promise<number> {
    const { env, cwd, stdout } = this.#context;
    const facts = [
      ["role", env.BOAT_ROLE],
      ["project", env.BOAT_PROJECT],
      ["name", env.BOAT_AGENT],
      ["folder", `${cwd}${await standing(cwd)}`],
      ["unread", this.unread().length === 0 ? undefined : plural(this.unread().length, "message")],
    ];
    for (const [name, value] of facts) if (value) stdout.write(`${name}: ${printable(value)}\n`);
    return 0;
  }

  checkMail(): number {
    const messages = this.unread();
    if (messages.length === 0) return 0;
    this.#context.stdout.write(`New messages on the project's bus:\n${messages.map(messageLines).join("")}`);
    const last = messages.at(-1);
    mkdirSync(join(this.state, "mail"), { recursive: true, mode: 0o700 });
    if (last !== undefined) writeFileAtomic(this.#cursorFile, last.cursor);
    return 0;
  }

  /** Each note is taken by renaming it, so that of two hooks one shows it. */
  drainQueue(): number {
    for (const name of this.notes()) {
      const taken = join(this.#queue, `.${name}.${process.pid}`);
      try {
        renameSync(join(this.#queue, name), taken);
      } catch (error) {
        if (errnoOf(error) === "ENOENT") continue; // another one has it
        throw error;
      }
      this.#context.stdout.write(`${printable(readFileSync(taken, "utf8")).trimEnd()}\n`);
      rmSync(taken, { force: true });
    }
    return 0;
  }

  unread(): BusMessage[] {
    return readMessages(this.#bus, { since: this.#cursor(), limit: LIMIT }).messages;
  }

  notes(): string[] {
    try {
      return readdirSync(this.#queue)
        .filter((name) => !name.startsWith("."))
        .sort();
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  #cursor(): string {
    try {
      const cursor = readFileSync(this.#cursorFile, "utf8").trim();
      return Number(cursor) <= sizeOf(this.#bus) ? cursor : "0"; // another bus than the one we read
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return "0";
      throw error;
    }
  }
}

async function standing(cwd: string): Promise<string> {
  try {
    const git = at(cwd);
    const branch = line(await git(["branch", "--show-current"]));
    const changes = (await uncommittedFiles(cwd)).length;
    return ` (on ${branch || "no branch"}, ${changes === 0 ? "nothing uncommitted" : plural(changes, "uncommitted change")})`;
  } catch {
    return ""; // no repository: then there is nothing to say
  }
}
