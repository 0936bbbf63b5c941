import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

/** How a program comes in: the same library by `import` and by `require`, each with declarations of its own kind. */
export async function writeDoor(root: string, dist: string): Promise<void> {
  const library = createRequire(import.meta.url)(join(dist, "index.cjs")) as object;
  // Around the CommonJS bundle, not a second one: an AppError is the same class however a program came in.
  const names = Object.keys(library).join(", ");
  writeFileSync(join(dist, "index.js"), `import library from "./index.cjs";\nexport const { ${names} } = library;\n`);
  const types = await declarations(join(root, "node_modules/.types/index.d.ts"));
  for (const name of ["index.d.ts", "index.d.cts"]) writeFileSync(join(dist, name), types);
}

/** One file, with what it needs of zod's types in it: nobody installs a library only to read a type. */
async function declarations(input: string): Promise<string> {
  const plugin = dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false, resolver: "oxc" });
  const external = (id: string) => /^[@\w]/.test(id) && !/^zod\b/.test(id);
  const bundle = await rolldown({ input: { index: input }, plugins: [plugin], external });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  const [file, ...others] = output;
  if (others.length > 0)
    throw new Error(`declarations in more than one file: ${output.map((one) => one.fileName).join(", ")}`);
  // zod silences its variance annotations with a comment for the line below; printed on one line it silences nothing.
  return file.code.replaceAll("/** @ts-ignore Cast variance */", "$&\n");
}
