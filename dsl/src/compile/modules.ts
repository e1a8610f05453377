// The modules of plans: finds them, rewrites them and turns them into scripts for the sandbox. A
// module that several plans import is processed once.
import { createHash } from "node:crypto";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, relative, resolve, sep } from "node:path";
import type { Message } from "esbuild";
import { LIMIT_HINTS, LIMIT_MESSAGES, type Problem } from "../exchange/problem.ts";
import { deepestPlace } from "../extract/deepest_place.ts";
import { rewrite, RUNTIME_MODULES, type Rewritten } from "../extract/rewrite.ts";
import type { KnownNames } from "../extract/names.ts";
import type { SiteTable } from "../extract/site_table.ts";
import { SourceText } from "../extract/source_text.ts";
import { findMapping, readMappings, type Mapping } from "./vlq.ts";

// Plain `require` loads a CommonJS package twice as fast as `import`.
const { transform } = createRequire(import.meta.url)("esbuild") as typeof import("esbuild");

export interface ModuleImport {
  readonly specifier: string;
  readonly path: string;
}

/** One file, ready for the sandbox. */
export interface PlanModule {
  /** Name in stack traces: the path relative to the project's folder. */
  readonly id: string;
  readonly path: string;
  readonly source: SourceText;
  readonly digest: string;
  /** Defines the module in the sandbox. Empty if problems keep it from running. */
  readonly script: string;
  readonly imports: readonly ModuleImport[];
  readonly problems: readonly Problem[];
  /** Gives the offset in the source for a place in the script, whose lines and columns count from
   * 1. */
  originalOffset(line: number, column: number): number | undefined;
}

/** A plan's own module and all modules that it imports, imported ones first. */
export interface LoadedModules {
  readonly entry: PlanModule;
  readonly modules: readonly PlanModule[];
  readonly problems: readonly Problem[];
  readonly runnable: boolean;
}

export interface ModuleOptions {
  /** Nothing outside this folder is read. */
  readonly root: string;
  readonly names: KnownNames;
  readonly sites: SiteTable;
  /** How problems name a file. */
  readonly display: (path: string) => string;
}

/** Starts esbuild's process. */
export function warmUpTransform(): void {
  transform("").catch(() => {
    // An error is ignored here: the first real use reports it.
  });
}

export class ModuleStore {
  readonly #modules = new Map<string, { stamp: string; module: Promise<PlanModule> }>();

  constructor(readonly options: ModuleOptions) {}

  /** Loads a plan's file and the modules it imports. Throws if the plan's own file cannot be read.
   */
  async load(path: string): Promise<LoadedModules> {
    const entry = await this.#module(resolve(path));
    const modules = new Map<string, PlanModule>();
    const problems: Problem[] = [];
    await this.#visit(entry, [], modules, problems);
    const all = [...modules.values()];
    return { entry, modules: all, problems: [...all.flatMap((each) => each.problems), ...problems],
      runnable: problems.length === 0 && all.every((each) => each.script !== "") };
  }

  async #visit(module: PlanModule, above: readonly PlanModule[], seen: Map<string, PlanModule>,
      problems: Problem[]): Promise<void> {
    const path = [...above, module];
    for (const imported of module.imports) {
      if (seen.has(imported.path)) continue;
      const cycle = path.findIndex((each) => each.path === imported.path);
      if (cycle >= 0) {
        const names = [...path.slice(cycle), path[cycle]!].map((each) => each.id);
        problems.push(importProblem(module, imported.specifier, "import_cycle",
          `Modules import each other in a circle: ${names.join(" → ")}`));
        continue;
      }
      const child = await this.#module(imported.path).catch(() => undefined);
      if (child === undefined) {
        problems.push(importProblem(module, imported.specifier, "bad_import",
          `There is no file \`${imported.specifier}\``));
        continue;
      }
      await this.#visit(child, path, seen, problems);
    }
    // A module that was not found may exist next time.
    if (module.problems.some(({ code }) => code === "bad_import")) this.#modules.delete(module.path);
    seen.set(module.path, module);
  }

  async #module(path: string): Promise<PlanModule> {
    const { mtimeMs, size, ino } = statSync(path);
    const stamp = `${mtimeMs} ${size} ${ino}`;
    const kept = this.#modules.get(path);
    if (kept?.stamp === stamp) return kept.module;
    const module = this.#readOrRefuse(path);
    this.#modules.set(path, { stamp, module });
    return module;
  }

  /** A source whose syntax tree is too deep for the compiler is a problem of that source only. */
  async #readOrRefuse(path: string): Promise<PlanModule> {
    const bytes = readFileSync(path);
    const source = new SourceText(this.options.display(path), bytes.toString("utf8"));
    const id = relative(this.options.root, path).split(sep).join("/");
    const digest = createHash("sha256").update(bytes).digest("hex");
    const base = { id, path, source, digest };
    try {
      return await this.#read(base);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { ...base, script: "", imports: [], originalOffset: () => undefined, problems: [{ severity: "error",
        code: "stack_limit", message: LIMIT_MESSAGES.stack, hint: LIMIT_HINTS.stack, file: source.file,
        span: source.span(...(deepestPlace(source.text) ?? [0, 0])) }] };
    }
  }

  async #read(base: Pick<PlanModule, "id" | "path" | "source" | "digest">): Promise<PlanModule> {
    const { path, source } = base;
    if (extname(path) === ".json") return jsonModule(base);
    const rewritten = rewrite(source, this.options.names, this.options.sites);
    const imports: ModuleImport[] = [];
    const problems = [...rewritten.problems];
    for (const { specifier, start, end } of rewritten.imports) {
      if (RUNTIME_MODULES.has(specifier)) continue;
      const found = this.#resolve(path, specifier);
      if (typeof found !== "string") {
        problems.push({ severity: "error", code: "bad_import", file: source.file, ...found,
          span: source.span(start, end) });
      } else if (!imports.some((each) => each.specifier === specifier)) {
        imports.push({ specifier, path: found });
      }
    }
    const resolvable = problems.every(({ code }) => code !== "bad_import");
    if (rewritten.unparsable || !resolvable) {
      return { ...base, script: "", imports: [], problems, originalOffset: () => undefined };
    }
    return this.#transform(base, rewritten, imports, problems);
  }

  async #transform(base: Pick<PlanModule, "id" | "path" | "source" | "digest">, rewritten: Rewritten,
      imports: readonly ModuleImport[], problems: readonly Problem[]): Promise<PlanModule> {
    try {
      const { code, map } = await transform(rewritten.output.code, {
        loader: "ts", format: "cjs", target: "es2022", sourcemap: "external",
        sourcesContent: false, legalComments: "none", charset: "utf8", logLevel: "silent",
        tsconfigRaw: "{}",
      });
      const table = Object.fromEntries(imports.map(
        (each) => [each.specifier, relative(this.options.root, each.path).split(sep).join("/")]));
      // One line before the module's own code; see originalOffset.
      const script = `__mr_define(${JSON.stringify(base.id)}, ${JSON.stringify(table)}, ` +
        `function (module, exports, require) { "use strict";\n${code}\n});`;
      let mappings: Mapping[][] | undefined;
      const originalOffset = (line: number, column: number): number | undefined => {
        mappings ??= readMappings((JSON.parse(map) as { mappings: string }).mappings);
        const found = findMapping(mappings, line - 2, column - 1);
        return found && offsetOf(rewritten, found.originalLine + 1, found.originalColumn + 1);
      };
      return { ...base, script, imports, problems, originalOffset };
    } catch (error) {
      const messages = (error as { errors?: Message[] }).errors ?? [];
      if (messages.length === 0) throw error;
      const found = messages.map(({ text, location }): Problem => {
        const offset = location ? offsetOf(rewritten, location.line, location.column + 1) : 0;
        return { severity: "error", code: "syntax", file: base.source.file, message: text,
          span: base.source.span(offset, offset + 1) };
      });
      return { ...base, script: "", imports, problems: [...problems, ...found],
        originalOffset: () => undefined };
    }
  }

  /** The file that a specifier names, or the problem with it. */
  #resolve(from: string, specifier: string): string | { message: string; hint?: string } {
    if (!/^\.\.?\//.test(specifier)) {
      return { message: `A plan cannot import \`${specifier}\``,
        hint: "plans import files of their project, by relative path, and `@millrace/dsl`" };
    }
    const path = resolve(dirname(from), specifier);
    const candidates = [path, `${path}.ts`, path.replace(/\.js$/, ".ts"), `${path}/index.ts`];
    const found = candidates.find((each) => /\.(ts|json)$/.test(each) && isFile(each));
    if (found === undefined) return { message: `There is no file \`${specifier}\`` };
    const real = realpathSync(found);
    if (relative(this.options.root, real).startsWith("..")) {
      return { message: `\`${specifier}\` is outside the project`,
        hint: "nothing outside the folder that has registry/ is read" };
    }
    return real;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function offsetOf(rewritten: Rewritten, line: number, column: number): number {
  // Rewriting changes columns, but not lines.
  const written = new SourceText("", rewritten.output.code).offset(line, column);
  return rewritten.output.original(written);
}

function jsonModule(base: Pick<PlanModule, "id" | "path" | "source" | "digest">): PlanModule {
  const module = { ...base, imports: [], originalOffset: () => undefined };
  try {
    const value = JSON.stringify(JSON.parse(base.source.text));
    const script = `__mr_define(${JSON.stringify(base.id)}, {}, function (module) {\n` +
      `module.exports = JSON.parse(${JSON.stringify(value)});\n});`;
    return { ...module, script, problems: [] };
  } catch (error) {
    return { ...module, script: "", problems: [{ severity: "error", code: "bad_json",
      file: base.source.file, message: (error as Error).message }] };
  }
}

function importProblem(module: PlanModule, specifier: string, code: string, message: string): Problem {
  const start = Math.max(0, module.source.text.search(
    new RegExp(`["']${specifier.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}["']`)));
  return { severity: "error", code, message, file: module.source.file,
    span: module.source.span(start, start + specifier.length + 2) };
}
