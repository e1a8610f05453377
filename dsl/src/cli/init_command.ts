import { cpSync, existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { codegen } from "../codegen/codegen.ts";
import { packageFolder } from "../dist_folder.ts";
import { UsageError, type Arguments, type CommandHelp } from "./arguments.ts";
import { writeTarget, showProblems } from "./output.ts";
import { displayPath, findPlans, findProject, findRankd } from "./project.ts";
import { Session } from "./session.ts";

const TEMPLATES = ["feed", "search", "blend"];

export const INIT_HELP: CommandHelp = {
  usage: "dslc init [FOLDER] [--template feed|search|blend]",
  about: "Make a project that works: registry, data, a plan with tests, declarations for the editor, and a\n" +
    "README that walks through change, check, run, explain and test.",
  flags: {
    template: { value: "NAME", choices: TEMPLATES,
      about: "feed (default): whom one follows; search: rank what a request brings; blend: two sources" },
    rankd: { value: "PATH", about: "the engine (default: $MILLRACE_RANKD, engine/bin/rankd upwards, the installed one)" },
  },
};

export async function runInit({ words, flags }: Arguments): Promise<number> {
  const folder = resolve(words[0] ?? ".");
  if (words.length > 1) throw new UsageError("init makes one project");
  // Files of the user are never overwritten.
  if (existsSync(folder) && readdirSync(folder).some((name) => !name.startsWith("."))) {
    throw new UsageError(`${displayPath(folder) || "this folder"} is not empty`);
  }
  mkdirSync(folder, { recursive: true });
  const template = flags.get("template") ?? TEMPLATES[0]!;
  for (const part of ["shared", template]) {
    cpSync(join(packageFolder(), "templates", part), folder, { recursive: true });
  }
  renameSync(join(folder, "gitignore"), join(folder, ".gitignore"));
  const project = findProject(folder, folder);
  codegen({ registry: project.registry, out: join(folder, "generated"), manifest: project.manifest,
    types: join(packageFolder(), "types") });
  const rankd = flags.get("rankd");
  const session = new Session(project, { ...(rankd !== undefined && { rankd }) });
  try {
    const result = await session.build(findPlans(project, []));
    result.plans.forEach(writeTarget);
    showProblems(result);
    if (result.plans.some(({ ok }) => !ok)) return 1;
  } finally {
    await session.close();
  }
  const engine = findRankd(project, rankd) ?? "rankd";
  const inside = displayPath(folder) === "" ? "" : `  cd ${displayPath(folder)}\n`;
  const plan = displayPath(findPlans(project, [])[0]!);
  process.stdout.write(`Made ${basename(folder)}: a project with one plan, ${relative(folder, resolve(plan))}.\n\n${inside}` +
    `  ${engine} --root . test\n  dslc watch\n\nREADME.md is a tour of ten minutes.\n`);
  return 0;
}
