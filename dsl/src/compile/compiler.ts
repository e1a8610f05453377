// Compiles a .plan.ts to the artifact's text and to a list of all problems, each with its place.
import { readFileSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import type { Bindings } from "../exchange/bindings.ts";
import type { DraftError, DraftNode, DraftPlan } from "../exchange/draft.ts";
import { LIMIT_HINTS, LIMIT_MESSAGES, type Problem } from "../exchange/problem.ts";
import type { Site, Span } from "../exchange/site.ts";
import { distFolder } from "../dist_folder.ts";
import { sourcesDigest, writeArtifact, type Artifact } from "../emit/artifact.ts";
import { readResult } from "../emit/read_result.ts";
import { didYouMean, knownNames, type KnownNames } from "../extract/names.ts";
import { SiteTable } from "../extract/site_table.ts";
import type { SourceText } from "../extract/source_text.ts";
import { LIMITS, Sandbox } from "../sandbox/sandbox.ts";
import type { Outcome } from "../sandbox/outcome.ts";
import type { Limits } from "../sandbox/worker.ts";
import { ModuleStore, warmUpTransform, type LoadedModules } from "./modules.ts";
import { placeInStack } from "./stack.ts";

export interface CompilerOptions {
  /** The project's folder: nothing outside is read, and paths in messages are relative to it. */
  readonly root: string;
  readonly bindings: Bindings;
  /** How problems name a file; by default its path relative to the root. */
  readonly display?: (path: string) => string;
  readonly limits?: Limits;
}

export interface CompileRequest {
  readonly path: string;
  /** Versions of fragments by name, to use instead of their default ones. */
  readonly fragments?: Readonly<Record<string, string>>;
}

export interface CompiledPlan {
  readonly path: string;
  readonly source: SourceText;
  /** Missing when there are errors. */
  readonly artifact?: Artifact;
  readonly draft?: DraftPlan;
  readonly problems: readonly Problem[];
  /** Versions of fragments it was compiled with instead of the default ones; empty for the plan
   * itself. */
  readonly fragments: Readonly<Record<string, string>>;
  /** Files that were read for it, including its own. */
  readonly files: readonly string[];
}

/** The place of a problem for which no better one is known. */
const BEGINNING: Span = [1, 1, 1, 1];

export class Compiler {
  readonly sites = new SiteTable();
  readonly #names: KnownNames;
  readonly #modules: ModuleStore;
  readonly #sandbox: Sandbox;

  constructor(options: CompilerOptions) {
    this.#names = knownNames(options.bindings);
    this.#modules = new ModuleStore({
      root: options.root, names: this.#names, sites: this.sites,
      display: options.display ?? ((path) => relative(options.root, path).split(sep).join("/")),
    });
    this.#sandbox = new Sandbox([
      { name: "<bindings>", code: `globalThis.__mr_bindings = ${JSON.stringify(options.bindings)};` },
      { name: "<runtime>", code: readFileSync(join(distFolder(), "runtime.js"), "utf8") },
    ], options.limits ?? LIMITS);
    // Both start in the background while this thread loads TypeScript.
    this.#sandbox.warmUp();
    warmUpTransform();
  }

  close(): Promise<void> {
    return this.#sandbox.close();
  }

  async compile({ path, fragments = {} }: CompileRequest): Promise<CompiledPlan> {
    const loaded = await this.#modules.load(path);
    const files = loaded.modules.map((module) => module.path);
    const { source } = loaded.entry;
    if (!loaded.runnable) return { path, source, problems: loaded.problems, files, fragments };
    const outcome = await this.#sandbox.run([
      ...loaded.modules.map(({ id, script }) => ({ name: id, code: script })),
      { name: "<main>",
        code: `__mr_main(${JSON.stringify(loaded.entry.id)}, ${JSON.stringify(fragments)})` },
    ]);
    try {
      return this.#finish(loaded, outcome, { path, source, files, fragments });
    } catch (error) {
      // Reading and printing expressions recurses; a plan can make them deeper than the stack.
      if (!(error instanceof RangeError)) throw error;
      return { path, source, files, fragments, problems: [this.#limitProblem(loaded, "stack", "")] };
    }
  }

  #finish(loaded: LoadedModules, outcome: Outcome,
      made: Omit<CompiledPlan, "problems" | "artifact" | "draft">): CompiledPlan {
    const { path, fragments } = made;
    const { draft, problems } = this.#understand(loaded, outcome);
    const all = withoutRepeats([...loaded.problems, ...problems]);
    if (draft === undefined || all.some(({ severity }) => severity === "error")) {
      return { ...made, problems: all, ...(draft && { draft }) };
    }
    const variant = Object.keys(fragments).length > 0 && { of: draft.name, versions: fragments };
    const artifact = writeArtifact(draft, {
      // Only the file's name, so that an artifact does not depend on where it is built.
      file: basename(path), digest: sourcesDigest(loaded.modules),
      spanOf: (node) => this.#spanInPlan(loaded, node),
    }, variant || undefined);
    return { ...made, artifact, draft, problems: all };
  }

  #understand(loaded: LoadedModules, outcome: Outcome): { draft?: DraftPlan; problems: Problem[] } {
    const file = loaded.entry.source.file;
    if (outcome.kind === "limit") {
      return { problems: [this.#limitProblem(loaded, outcome.limit, outcome.stack)] };
    }
    if (outcome.kind === "broken") {
      return { problems: [{ severity: "error", code: "sandbox", message: outcome.message, file, span: BEGINNING }] };
    }
    const result = readResult(outcome.text);
    if (result === undefined) {
      return { problems: [{ severity: "error", code: "sandbox", file, span: BEGINNING,
        message: "The plan returned something that is not a plan" }] };
    }
    if ("plan" in result) return { draft: result.plan, problems: [] };
    if ("errors" in result) {
      return { problems: result.errors.map((error) => this.#problem(loaded, error)) };
    }
    const { name, message, stack, site } = result.thrown;
    return { problems: [this.#problem(loaded,
      { code: "exception", message: `${name}: ${message}`, stack, site })] };
  }

  #problem(loaded: LoadedModules, error: DraftError): Problem {
    const { code, message, hint, stack, site } = error;
    if (stack === undefined) return { severity: "error", code, message, ...this.#place(loaded, site),
      ...(hint !== undefined && { hint }) };
    if (/^InternalError: (stack overflow|out of memory)$/.test(message)) {
      return this.#limitProblem(loaded, message.endsWith("memory") ? "memory" : "stack", stack);
    }
    const callee = this.sites.find(site)?.callee;
    if (message === "TypeError: not a function" && callee !== undefined) {
      const near = didYouMean(callee, this.#names.methods);
      return { severity: "error", code: "unknown_op", message: `There is no \`${callee}\` to call here`,
        ...this.#place(loaded, site), ...(near !== undefined && { hint: near }) };
    }
    return { severity: "error", code, message,
      ...(placeInStack(stack, loaded.modules) ?? this.#place(loaded, site)) };
  }

  #limitProblem(loaded: LoadedModules, limit: "time" | "memory" | "stack", stack: string): Problem {
    return { severity: "error", code: `${limit}_limit`, message: LIMIT_MESSAGES[limit],
      hint: LIMIT_HINTS[limit], file: loaded.entry.source.file, span: BEGINNING, ...placeInStack(stack, loaded.modules) };
  }

  #place(loaded: LoadedModules, site: Site): { file: string; span?: Span } {
    const place = this.sites.find(site);
    if (place === undefined) return { file: loaded.entry.source.file, span: BEGINNING };
    return { file: place.source.file, span: place.source.span(place.start, place.end) };
  }

  /** The place in the plan's own file that made a node: directly, or by calling the fragment that
   * made it. */
  #spanInPlan(loaded: LoadedModules, node: DraftNode): Span | undefined {
    const sites = [node.site, ...node.calls.map((call) => call.site).reverse()];
    const inPlan = sites.find((site) => this.sites.find(site)?.source === loaded.entry.source);
    return inPlan === undefined ? undefined : this.sites.span(inPlan);
  }
}

/** Codes about names. Names are checked before a plan runs, while it runs, and by the engine, each
 * time with a different message. */
const NAME_CODES = new Set(["unknown_key", "unknown_name", "unknown_endpoint", "unknown_request_field"]);

/** Keeps one of several problems about the same thing at the same place. */
export function withoutRepeats(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ file, span, code, message }) => {
    // Problems about one name end at the same place, but some begin at `Key.x`, others at `x`.
    const what = NAME_CODES.has(code) ? [span?.[2], span?.[3]] : [span, message];
    const key = JSON.stringify([file, code, ...what]);
    return !seen.has(key) && seen.add(key);
  });
}
