import { closeSync } from "node:fs";
import { join } from "node:path";
import { appendRecord, openJournal } from "../../lib/files/journal-line.ts";
import type { Home } from "./home.ts";
import { isObject, Journal } from "./journal.ts";

/** `audit.jsonl`: who decided what. Appended by hosts and the server, never changed. */
export interface AuditEntry {
  at: string;
  what: string;
  who: string;
  run?: string;
  project?: string;
  task?: string;
  data?: Readonly<Record<string, unknown>>;
}

const pathOf = (home: Home) => join(home.root, "audit.jsonl");

export function appendAudit(home: Home, entry: AuditEntry): void {
  const path = pathOf(home);
  const fd = openJournal(path);
  try {
    appendRecord(fd, JSON.stringify(entry), path);
  } finally {
    closeSync(fd);
  }
}

/** Newest first; `next` is the place of the last one given. */
export function readAudit(home: Home, limit: number, before?: number): { items: AuditEntry[]; next?: number } {
  const items: AuditEntry[] = [];
  for (const { value, offset } of auditJournal.backward(pathOf(home), { before })) {
    items.push(value);
    if (items.length === limit) return offset > 1 ? { items, next: offset } : { items };
  }
  return { items };
}

const auditJournal = new Journal(
  (value): value is AuditEntry =>
    isObject(value) && typeof value.at === "string" && typeof value.what === "string" && typeof value.who === "string",
);
