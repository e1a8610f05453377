import { existsSync } from "node:fs";
import { join } from "node:path";
import { codegen } from "../codegen/codegen.ts";
import { packageFolder } from "../dist_folder.ts";
import { UsageError, type Arguments, type CommandHelp } from "./arguments.ts";
import { displayPath, findProject, findRankd, PLUGIN_FLAG } from "./project.ts";

export const CODEGEN_HELP: CommandHelp = {
  usage: "dslc codegen [--check] [--plugin LIB.so]...",
  about: "Write the declarations that editors read, from registry/ and the engine's task manifest.",
  flags: {
    check: { about: "write nothing; fail when a generated file is not up to date" },
    root: { value: "DIR", about: "project with registry/ (default: found upwards)" },
    rankd: { value: "PATH", about: "the engine, to print its task manifest" },
    out: { value: "DIR", about: "folder for the generated files (default: generated/)" },
    plugin: PLUGIN_FLAG,
  },
};

export async function runCodegen({ flags, lists }: Arguments): Promise<number> {
  const project = findProject(".", flags.get("root"), lists.get("plugin"));
  // In this repository the package's own folder holds the generated files.
  const inRepository = existsSync(join(project.root, "dsl", "package.json"));
  const out = flags.get("out") ?? join(project.root, inRepository ? "dsl/generated" : "generated");
  // Only the engine can say what a plugin has.
  const asksEngine = !flags.has("check") || flags.has("rankd") || project.plugins.length > 0;
  const rankd = asksEngine ? findRankd(project, flags.get("rankd")) : undefined;
  if (rankd === undefined && project.plugins.length > 0) {
    throw new UsageError("the tasks of plugins need the engine; name it with --rankd or MILLRACE_RANKD");
  }
  const manifest = inRepository ? project.manifest : join(out, "tasks.manifest.json");
  const { changed } = codegen({
    registry: project.registry, out, check: flags.has("check"),
    manifest: rankd === undefined ? project.manifest : manifest,
    ...(rankd !== undefined && { rankd, plugins: project.plugins }),
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
