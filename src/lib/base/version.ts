/** Kept equal to package.json by a test; read from there it would cost a file at every start. */
export const VERSION = "0.1.0";
