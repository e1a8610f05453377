import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The package's folder: the one with package.json above the running file. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("dslc is not inside its package");
    folder = parent;
  }
  return folder;
}

/** Where `npm run build` puts its results. */
export function distFolder(): string {
  return join(packageFolder(), "dist");
}
