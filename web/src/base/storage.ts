/** What this browser remembers. A browser that refuses to (private mode, full) costs the memory, not the page. */
export const storage = {
  read<T>(key: string, otherwise: T): T {
    try {
      const text = localStorage.getItem(`cox.${key}`);
      return text === null ? otherwise : (JSON.parse(text) as T);
    } catch {
      return otherwise;
    }
  },

  write(key: string, value: unknown): void {
    try {
      if (value === undefined || value === "") localStorage.removeItem(`cox.${key}`);
      else localStorage.setItem(`cox.${key}`, JSON.stringify(value));
    } catch {
      // nothing to be done about it
    }
  },
};
