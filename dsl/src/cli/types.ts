// The declarations and bindings of a project: what editors read, and what the compiler knows.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { codegen, type CodegenReport } from "../codegen/codegen.ts";
import { packageFolder } from "../dist_folder.ts";
import type { Bindings } from "../exchange/bindings.ts";
import type { Project } from "./project.ts";

/** Compares the generated files of a project with what registry and tasks say, or writes them. The
 * tasks are those of the project's manifest; with plugins, those of the engine that loaded them. */
function runOn(project: Project, rankd: string | undefined, check: boolean): CodegenReport {
  const out = join(project.root, "generated");
  const asks = rankd !== undefined && project.plugins.length > 0;
  return codegen({ registry: project.registry, out, check,
    manifest: asks ? join(out, "tasks.manifest.json") : project.manifest,
    ...(asks && { rankd, plugins: project.plugins }),
    // Beside this package, declarations are read from it and not copied.
    ...(existsSync(join(out, "values.d.ts")) && { types: join(packageFolder(), "types") }) });
}

/** The bindings to compile with, and which generated files are not up to date. A project without
 * generated files has none that could be. */
export function currentTypes(project: Project, rankd: string | undefined):
    { bindings: Bindings; stale: readonly string[] } {
  const { bindings, changed } = runOn(project, rankd, true);
  const isGenerated = existsSync(join(project.root, "generated", "tasks.d.ts"));
  return { bindings, stale: isGenerated ? changed : [] };
}

/** Writes the generated files that are not up to date; gives them. */
export function updateTypes(project: Project, rankd: string | undefined): readonly string[] {
  if (!existsSync(join(project.root, "generated", "tasks.d.ts"))) return [];
  return runOn(project, rankd, false).changed;
}
