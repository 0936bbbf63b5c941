/** The last step of `npm run build`: what the bundles in dist need to be a package that others install. */
import { join } from "node:path";
import { writeDoor } from "./door.ts";
import { readBundled, writeLicences } from "./licences.ts";
import { writeSbom } from "./sbom.ts";

const root = join(import.meta.dirname, "../..");
const dist = join(root, "dist");
const folders = [dist, join(dist, "web")];

await writeDoor(root, dist);
const bundled = folders.map(readBundled);
for (const [index, packages] of bundled.entries()) writeLicences(folders[index] as string, packages);
writeSbom(root, dist, bundled.flat());
