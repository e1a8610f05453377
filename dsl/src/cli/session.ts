// One project that can be compiled many times: shared by build, check and watch.
import { basename, dirname, join } from "node:path";
import { Compiler, withoutRepeats, type CompiledPlan } from "../compile/compiler.ts";
import { compileWithVariants } from "../compile/variants.ts";
import type { Problem } from "../exchange/problem.ts";
import { variantSuffix } from "../emit/artifact.ts";
import { preferQuickStart } from "../quick_start.ts";
import { checkWithEngine } from "./engine.ts";
import { displayPath, findRankd, type Project } from "./project.ts";
import { currentTypes } from "./types.ts";

export interface SessionOptions {
  readonly rankd?: string;
  /** How long to wait for the engine's answer. */
  readonly engineMs?: number;
  /** Skips the engine's checks, without a warning. */
  readonly withoutEngine?: boolean;
  /** How many plans will be built; decides between a quick start and fast compilation. */
  readonly planCount?: number;
  /** Folder for artifacts; by default each goes beside its source. */
  readonly out?: string;
}

/** A plan, or a variant of one with other versions of fragments, and where its artifact belongs. */
export interface BuiltPlan {
  readonly plan: CompiledPlan;
  readonly target: string;
  /** Everything that is wrong with it, including what the engine found. */
  readonly problems: readonly Problem[];
  readonly ok: boolean;
}

export interface BuildResult {
  readonly plans: readonly BuiltPlan[];
  /** Problems that belong to no plan. */
  readonly problems: readonly Problem[];
}

/** How long to wait for the engine unless told otherwise. It checks thousands of plans in that time. */
const ENGINE_MS = 120_000;

/** Up to this many plans, a quick start saves more time than fast code. */
const FEW_PLANS = 10;

/** How many plans are compiled at the same time; more would only wait for the one sandbox. */
const CONCURRENCY = 8;

export class Session {
  readonly #compiler: Compiler;
  readonly #rankd: string | undefined;
  /** Generated files that are not what registry and tasks say. */
  readonly #stale: readonly string[];

  constructor(readonly project: Project, readonly options: SessionOptions) {
    if ((options.planCount ?? Infinity) <= FEW_PLANS) preferQuickStart();
    this.#rankd = options.withoutEngine ? undefined : findRankd(project, options.rankd);
    const types = currentTypes(project, this.#rankd);
    this.#stale = types.stale;
    this.#compiler = new Compiler({ root: project.root, bindings: types.bindings, display: displayPath });
  }

  close(): Promise<void> {
    return this.#compiler.close();
  }

  /** Compiles and checks plans; calls `progress` after each one that is compiled. */
  async build(paths: readonly string[], progress: (done: number) => void = () => {}):
      Promise<BuildResult> {
    const compiled = await this.#compileAll(paths, progress);
    const problems = staleTypes(this.#stale);
    let engine = new Map<CompiledPlan, Problem[]>();
    if (this.#rankd !== undefined) {
      const choice = { rankd: this.#rankd, limitMs: this.options.engineMs ?? ENGINE_MS };
      engine = await checkWithEngine(choice, this.project, compiled, this.#compiler.sites);
    } else if (!this.options.withoutEngine) {
      problems.push({ severity: "warning", code: "no_engine", file: "",
        message: "rankd was not found, so its checks did not run",
        hint: "name it with --rankd or MILLRACE_RANKD, or leave it out with --no-engine" });
    }
    const names = new Map<string, string>();
    const told = new Set<string>();
    const plans = compiled.map((plan): BuiltPlan => {
      const all = ofVariant(plan, told, withoutRepeats([...plan.problems,
        ...(engine.get(plan) ?? []), ...sameName(plan, names)]));
      return { plan, target: this.#target(plan), problems: all,
        ok: plan.artifact !== undefined && all.every(({ severity }) => severity !== "error") };
    });
    return { plans, problems };
  }

  async #compileAll(paths: readonly string[], progress: (done: number) => void):
      Promise<CompiledPlan[]> {
    const compiled: CompiledPlan[][] = [];
    let next = 0;
    let done = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < paths.length; index = next++) {
        const path = paths[index]!;
        compiled[index] = await compileWithVariants(this.#compiler, path);
        progress(++done);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return compiled.flat();
  }

  #target({ path, fragments }: CompiledPlan): string {
    const suffix = Object.keys(fragments).length > 0 ? variantSuffix(fragments) : "";
    const name = `${basename(path, ".plan.ts")}${suffix}.plan.json`;
    return join(this.options.out ?? dirname(path), name);
  }
}

function staleTypes([first, ...more]: readonly string[]): Problem[] {
  if (first === undefined) return [];
  const others = more.length > 0 ? ` (and ${more.length} more)` : "";
  return [{ severity: "warning", code: "stale_types", file: "",
    message: `${displayPath(first)} is not what registry and tasks say${others}, so editors and types may be wrong`,
    hint: "run `dslc codegen`" }];
}

/** Problems of a variant name the variant; those that the plan itself has too are left out. */
function ofVariant(plan: CompiledPlan, told: Set<string>, problems: readonly Problem[]): Problem[] {
  const key = ({ file, span, code, message }: Problem): string => JSON.stringify([file, span, code, message]);
  if (Object.keys(plan.fragments).length === 0) {
    for (const problem of problems) told.add(key(problem));
    return [...problems];
  }
  const versions = variantSuffix(plan.fragments).slice(1);
  return problems.filter((problem) => !told.has(key(problem))).map((problem) =>
    ({ ...problem, message: `${problem.message} (with ${versions})` }));
}

/** Two plans with the same name cannot be loaded together. */
function sameName(plan: CompiledPlan, names: Map<string, string>): Problem[] {
  if (plan.draft === undefined || Object.keys(plan.fragments).length > 0) return [];
  const { name } = plan.draft;
  const other = names.get(name);
  if (other === undefined) {
    names.set(name, plan.source.file);
    return [];
  }
  return [{ severity: "error", code: "duplicate_plan", file: plan.source.file,
    message: `The plan \`${name}\` is also in ${other}` }];
}
