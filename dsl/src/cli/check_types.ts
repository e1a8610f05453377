// TypeScript's own check of plans, with the project's tsconfig.json if there is one.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type ts from "typescript";
import type { Problem } from "../exchange/problem.ts";
import { packageFolder } from "../dist_folder.ts";
import { loadTypeScript, type TypeScript } from "../extract/load_typescript.ts";
import { displayPath, type Project } from "./project.ts";

/** Gives problems by plan. Problems without a file are under "", those of imported files under each
 * plan. */
export function checkTypes(project: Project, plans: readonly string[]): Map<string, Problem[]> {
  const ts = loadTypeScript();
  const { options, declarations } = configuration(ts, project, plans);
  const program = ts.createProgram([...plans, ...declarations], options);
  const found = new Map<string, Problem[]>();
  const add = (path: string, problem: Problem): void => {
    found.set(path, [...(found.get(path) ?? []), problem]);
  };
  for (const diagnostic of ts.getPreEmitDiagnostics(program)) {
    const problem = problemOf(ts, diagnostic);
    const file = diagnostic.file && resolve(diagnostic.file.fileName);
    if (file !== undefined && plans.includes(file)) add(file, problem);
    else add("", problem);
  }
  return found;
}

function configuration(ts: TypeScript, project: Project, plans: readonly string[]):
    { options: ts.CompilerOptions; declarations: string[] } {
  const config = nearestConfig(project.root, plans[0]!);
  if (config !== undefined) {
    const read = ts.readConfigFile(config, (path) => ts.sys.readFile(path));
    const parsed = ts.parseJsonConfigFileContent(read.config ?? {}, ts.sys, dirname(config));
    return { options: { ...parsed.options, noEmit: true },
      declarations: parsed.fileNames.filter((file) => file.endsWith(".d.ts")) };
  }
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022, lib: ["lib.es2022.d.ts"], module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler, types: [], strict: true, noEmit: true,
    noUncheckedIndexedAccess: true, allowImportingTsExtensions: true, skipLibCheck: true,
    resolveJsonModule: true,
  };
  const own = join(project.root, "generated");
  // A project's generated folder has all declarations; without one, those of this package are used.
  const folders = existsSync(own) ? [own]
    : [join(packageFolder(), "generated"), join(packageFolder(), "types")];
  return { options, declarations: folders.flatMap((folder) => readdirSync(folder)
    .filter((name) => name.endsWith(".d.ts")).map((name) => join(folder, name))) };
}

function nearestConfig(root: string, plan: string): string | undefined {
  for (let folder = dirname(plan); !relative(root, folder).startsWith(".."); folder = dirname(folder)) {
    const config = join(folder, "tsconfig.json");
    if (existsSync(config)) return config;
  }
  return undefined;
}

function problemOf(ts: TypeScript, { file, start, length, messageText, code }: ts.Diagnostic): Problem {
  const message = ts.flattenDiagnosticMessageText(messageText, "\n       ");
  if (file === undefined || start === undefined) {
    return { severity: "error", code: `TS${code}`, message, file: "" };
  }
  const from = file.getLineAndCharacterOfPosition(start);
  const to = file.getLineAndCharacterOfPosition(start + (length ?? 1));
  return { severity: "error", code: `TS${code}`, message, file: displayPath(file.fileName),
    span: [from.line + 1, from.character + 1, to.line + 1, to.character + 1] };
}
