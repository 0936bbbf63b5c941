let callers: number | undefined;

/** From now on the files we make are ours alone. */
export function keepFilesPrivate(): void {
  callers = process.umask(0o077);
}

/** A program started for the person makes files as it would have without us. */
export function withCallersUmask<T>(start: () => T): T {
  if (callers === undefined) return start();
  const ours = process.umask(callers);
  try {
    return start();
  } finally {
    process.umask(ours);
  }
}
