import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bundled } from "./licences.ts";

/** What we use of CycloneDX. */
interface Component {
  "bom-ref": string;
  name: string;
  scope: string;
  properties: { name: string; value: string }[];
}

interface Sbom {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** What a user gets: the packages in our bundles and those that npm installs beside us, with the lockfile's hashes. */
export function writeSbom(root: string, dist: string, bundled: readonly Bundled[]): void {
  const made = execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const sbom = shipped(JSON.parse(made), new Set(bundled.map(({ name, version }) => `${name}@${version}`)));
  writeFileSync(join(dist, "sbom.cdx.json"), `${JSON.stringify(sbom, null, 2)}\n`);
}

const development = "cdx:npm:package:development";
const inBundle = { name: "cdx:npm:package:bundled", value: "true" };

/** Of everything the lockfile knows: npm counts what is bundled among the tools, because only building needs it. */
function shipped(sbom: Sbom, bundled: ReadonlySet<string>): Sbom {
  const installed = (one: Component) => !one.properties.some(({ name }) => name === development);
  const components = sbom.components
    .filter((one) => installed(one) || bundled.has(one["bom-ref"]))
    .map((one) => (installed(one) ? one : { ...one, scope: "required", properties: [inBundle] }));
  const own = { ...sbom.metadata.component, name: "coxswain" };
  const there = new Set(components.map((one) => one["bom-ref"]));
  const missing = [...bundled].filter((ref) => !there.has(ref));
  if (missing.length > 0) throw new Error(`bundled, and not in package-lock.json: ${missing.join(", ")}`);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => there.has(ref) || ref === own["bom-ref"])
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => there.has(one)) }));
  return { ...sbom, metadata: { ...sbom.metadata, component: own }, components, dependencies };
}
