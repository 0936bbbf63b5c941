/** Kept equal to package.json by a test; read from there it would cost a file at every start. */
export const VERSION = "0.1.0";

declare const COX_BUILD: string | undefined;

/** Which sources this was built from: two processes of different builds don't share what they hand each other. */
export const BUILD: string = typeof COX_BUILD === "undefined" ? "source" : COX_BUILD;
