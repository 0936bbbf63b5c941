import { sep } from "node:path";

/** Whether `path` is `folder` or lies in it; both absolute, and as they really are. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
