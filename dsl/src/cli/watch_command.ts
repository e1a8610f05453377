import { readdirSync, statSync, watch, type FSWatcher } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Arguments, CommandHelp } from "./arguments.ts";
import { BUILD_HELP, readTarget, summary } from "./build_command.ts";
import { removeStaleVariants, showProblems, writeTargets } from "./output.ts";
import { displayPath, findPlans, findRankd, placesOf, type Project } from "./project.ts";
import { Session, type BuildResult, type SessionOptions } from "./session.ts";
import { updateTypes } from "./types.ts";

const { format: _, ...FLAGS } = BUILD_HELP.flags;

export const WATCH_HELP: CommandHelp = {
  usage: "dslc watch [NAME | FILE.plan.ts | FOLDER]...",
  about: "Build plans, and again those that a change concerns, until stopped by Ctrl-C.",
  flags: FLAGS,
};

/** Editors write a file in several steps; changes within this time count as one. */
const SETTLE_MS = 15;

/** Rebuilds the affected plans after each change. */
export class Watcher {
  #session: Session | undefined;
  readonly #folders = new Map<string, FSWatcher>();
  /** The result of each plan's last build. */
  readonly #known = new Map<string, { files: readonly string[]; ok: boolean }>();
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly project: Project,
    private readonly words: readonly string[],
    private readonly options: SessionOptions,
    /** Called after each build with its duration. */
    private readonly built: (result: BuildResult, milliseconds: number) => void,
    /** Called when a build is not possible, for example because the registry is broken. */
    private readonly failed: (error: unknown) => void,
    /** Called with the declarations that were written because registry or tasks have changed. */
    private readonly regenerated: (files: readonly string[]) => void = () => {},
  ) {}

  /** Builds everything; after that, each change starts a build. */
  start(): Promise<void> {
    this.#watch(this.project.registry);
    for (const plugin of this.project.plugins) this.#watch(dirname(plugin));
    for (const place of placesOf(this.project, this.words)) this.#watchAll(resolve(place));
    return this.#enqueue();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
    await this.#running;
    await this.#session?.close();
  }

  #watch(folder: string): void {
    if (this.#folders.has(folder)) return;
    this.#folders.set(folder, watch(folder, (_event, name) => {
      if (name === null || !/\.(ts|json|toml|so)$/.test(name) || name.endsWith(".plan.json")) return;
      this.#changed.add(join(folder, name));
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#enqueue(), SETTLE_MS);
    }));
  }

  #watchAll(place: string): void {
    if (!statSync(place).isDirectory()) return this.#watch(dirname(place));
    this.#watch(place);
    for (const entry of readdirSync(place, { withFileTypes: true })) {
      if (entry.isDirectory() && entry.name !== "node_modules") this.#watchAll(join(place, entry.name));
    }
  }

  #enqueue(): Promise<void> {
    this.#running = this.#running.then(() => this.#rebuild()).catch(this.failed);
    return this.#running;
  }

  async #rebuild(): Promise<void> {
    const started = performance.now();
    const changed = [...this.#changed];
    this.#changed.clear();
    if (changed.some((path) => path.endsWith(".toml") || path.endsWith(".so"))) {
      await this.#session?.close();
      this.#session = undefined;
      this.#known.clear();
    }
    if (this.#session === undefined) {
      const rankd = this.options.withoutEngine ? undefined : findRankd(this.project, this.options.rankd);
      this.regenerated(updateTypes(this.project, rankd));
      this.#session = new Session(this.project, this.options);
    }
    const concerned = findPlans(this.project, this.words).filter((plan) => {
      const known = this.#known.get(plan);
      // A plan that failed is always rebuilt: any changed file may be what it lacked.
      return !known?.ok || changed.some((path) => known.files.includes(path));
    });
    if (concerned.length === 0) return;
    const { result } = writeTargets(await this.#session.build(concerned));
    for (const { plan, ok } of result.plans) {
      // A plan with variants is good only if all of them are.
      const before = this.#known.get(plan.path);
      const isVariant = Object.keys(plan.fragments).length > 0;
      this.#known.set(plan.path, { files: plan.files, ok: ok && (!isVariant || before?.ok === true) });
      for (const file of plan.files) this.#watch(dirname(file));
    }
    removeStaleVariants(result.plans);
    this.built(result, performance.now() - started);
  }
}

export async function runWatch(given: Arguments): Promise<number> {
  const { project, options } = readTarget(given);
  const watcher = new Watcher(project, given.words, options, (result, milliseconds) => {
    showProblems(result);
    const failed = result.plans.filter(({ ok }) => !ok).length;
    process.stderr.write(`dslc: ${summary(result, failed)}, ${Math.round(milliseconds)} ms\n`);
  }, (error) => {
    process.stderr.write(`dslc: ${error instanceof Error ? error.message : String(error)}\n`);
  }, (files) => {
    for (const file of files) process.stderr.write(`dslc: wrote ${displayPath(file)}\n`);
  });
  await watcher.start();
  process.stderr.write(`dslc: watching ${displayPath(project.root) || "."}; Ctrl-C stops\n`);
  await new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve));
  await watcher.close();
  return 0;
}
