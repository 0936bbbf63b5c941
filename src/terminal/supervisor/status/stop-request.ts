import { rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../contract/errors.ts";
import type { Log } from "../../../lib/base/log.ts";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { readText } from "../credentials/file.ts";
import { Daemon } from "../host/daemon.ts";
import type { Settings } from "../settings.ts";

/** The wish that the agent ends when it is next idle and stays down: as a file, which its hooks see as well, or on its bead. */
export class StopRequest {
  readonly #file: string;
  readonly #bead: { daemon: Daemon; id: string } | undefined;
  readonly #log: Log;

  constructor({ state, daemon, beadId }: Pick<Settings, "state" | "daemon" | "beadId">, log: Log) {
    this.#file = join(state, "stop-requested");
    this.#bead = daemon && beadId ? { daemon: new Daemon(daemon), id: beadId } : undefined;
    this.#log = log;
    rmSync(this.#file, { force: true }); // it was for an earlier one
  }

  make(): void {
    writeFileAtomic(this.#file, "");
  }

  /** As a file: costs nothing to ask. */
  isHere = (): boolean => readText(this.#file) !== undefined;

  /** Anywhere. A daemon that doesn't answer asks for nothing. */
  async isMade(): Promise<boolean> {
    if (this.isHere()) return true;
    if (this.#bead === undefined) return false;
    try {
      return await this.#bead.daemon.stopRequested(this.#bead.id);
    } catch (error) {
      this.#log.warn("could not ask the daemon whether to stop", { error: messageOf(error) });
      return false;
    }
  }

  async fulfil(): Promise<void> {
    this.#log.info("asked to stay down");
    rmSync(this.#file, { force: true });
    try {
      await this.#bead?.daemon.close(this.#bead.id);
    } catch (error) {
      this.#log.warn("could not tell the daemon that the agent is done", { error: messageOf(error) });
    }
  }
}
