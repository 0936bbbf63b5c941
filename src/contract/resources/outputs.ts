export * from "../outputs.ts";
export * from "../outputs-digest.ts";
