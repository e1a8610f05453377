import { existsSync } from "node:fs";
import { join } from "node:path";
import { codegen } from "../codegen/codegen.ts";
import { packageFolder } from "../dist_folder.ts";
import type { Arguments, CommandHelp } from "./arguments.ts";
import { displayPath, findProject, findRankd } from "./project.ts";

export const CODEGEN_HELP: CommandHelp = {
  usage: "dslc codegen [--check]",
  about: "Write the declarations that editors read, from registry/ and the engine's task manifest.",
  flags: {
    check: { about: "write nothing; fail when a generated file is not up to date" },
    root: { value: "DIR", about: "project with registry/ (default: found upwards)" },
    rankd: { value: "PATH", about: "the engine, to print its task manifest" },
    out: { value: "DIR", about: "folder for the generated files (default: generated/)" },
  },
};

export async function runCodegen({ flags }: Arguments): Promise<number> {
  const project = findProject(".", flags.get("root"));
  // In this repository the package's own folder holds the generated files.
  const inRepository = existsSync(join(project.root, "dsl", "package.json"));
  const out = flags.get("out") ?? join(project.root, inRepository ? "dsl/generated" : "generated");
  const rankd = flags.has("check") && !flags.has("rankd") ? undefined : findRankd(project, flags.get("rankd"));
  const manifest = inRepository ? project.manifest : join(out, "tasks.manifest.json");
  const { changed } = codegen({
    registry: project.registry, out, check: flags.has("check"),
    manifest: rankd === undefined ? project.manifest : manifest,
    ...(rankd !== undefined && { rankd }),
    ...(!inRepository && { types: join(packageFolder(), "types") }),
  });
  for (const path of changed) {
    process.stdout.write(flags.has("check") ? `stale: ${displayPath(path)}\n` : `${displayPath(path)}\n`);
  }
  if (flags.has("check") && changed.length > 0) {
    process.stderr.write("dslc: generated files are not up to date; run `dslc codegen`\n");
    return 1;
  }
  return 0;
}
