import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { packageFolder } from "../dist_folder.ts";
import { didYouMean } from "../extract/names.ts";
import { UsageError, type FlagHelp } from "./arguments.ts";

/** A folder with registry/ and plans: the input of one `dslc`. */
export interface Project {
  readonly root: string;
  readonly registry: string;
  readonly manifest: string;
  /** Shared objects with more tasks: those of millrace.json and of the command line. */
  readonly plugins: readonly string[];
}

/** What stands in millrace.json, the project file. It may be missing. */
interface ProjectFile {
  readonly plugins?: readonly string[];
}

const PROJECT_FILE = "millrace.json";

export const PLUGIN_FLAG: FlagHelp = {
  value: "LIB.so", repeats: true,
  about: "shared object with more tasks, besides `plugins` of millrace.json",
};

/** Finds the project: the given folder, or the nearest one above `from` that has a registry. */
export function findProject(from: string, given?: string, plugins: readonly string[] = []): Project {
  const start = realpathSync(resolve(given ?? from));
  let root = start;
  while (!existsSync(join(root, "registry", "keys.toml"))) {
    const parent = dirname(root);
    if (given !== undefined || parent === root) {
      throw new UsageError(`no registry/keys.toml in ${given ?? "this folder or above it"}; ` +
        "`dslc init` makes a project, --root names one");
    }
    root = parent;
  }
  const named = (readProjectFile(root).plugins ?? []).map((path) => resolve(root, path));
  const all = [...new Set([...named, ...plugins.map((path) => resolve(path))])];
  for (const path of all) {
    if (!existsSync(path)) {
      throw new UsageError(`there is no plugin ${displayPath(path)}; build it first, or correct ` +
        (named.includes(path) ? PROJECT_FILE : "--plugin"));
    }
  }
  return { root, registry: join(root, "registry"), manifest: findManifest(root), plugins: all };
}

function readProjectFile(root: string): ProjectFile {
  const path = join(root, PROJECT_FILE);
  if (!existsSync(path)) return {};
  const refuse = (why: string): never => {
    throw new UsageError(`${displayPath(path)}: ${why}`);
  };
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    return refuse(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) {
    return refuse('it must hold an object, such as {"plugins": ["build/my_tasks.so"]}');
  }
  for (const name of Object.keys(read)) {
    if (name !== "plugins") refuse(`unknown field \`${name}\`; the only one is \`plugins\``);
  }
  const { plugins } = read as { plugins?: unknown };
  if (plugins !== undefined && !(Array.isArray(plugins) && plugins.every((path) => typeof path === "string"))) {
    refuse("`plugins` must be a list of paths");
  }
  return read as ProjectFile;
}

/** The manifest of the engine's tasks: the project's, else the one of this package. */
function findManifest(root: string): string {
  const names = ["generated/tasks.manifest.json", "interface/tasks.manifest.json"];
  // In this repository, and where the package is installed.
  const own = [join(packageFolder(), "..", "interface", "tasks.manifest.json"),
    join(packageFolder(), "interface", "tasks.manifest.json")];
  const found = [...names.map((name) => join(root, name)), ...own].find(existsSync);
  if (found === undefined) throw new UsageError("there is no task manifest; run `dslc codegen`");
  return found;
}

/** What the words of a command name: files, folders, or plans of plans/ by their names; without words, plans/
 * of the project. */
export function placesOf(project: Project, words: readonly string[]): string[] {
  const folder = join(project.root, "plans");
  return words.length > 0 ? words.map((word) => existsSync(word) ? word : planNamed(folder, word)) : [folder];
}

/** The plans in these places. */
export function findPlans(project: Project, words: readonly string[]): string[] {
  const found = placesOf(project, words).flatMap((place) => {
    if (!existsSync(place)) throw new UsageError(`there is no ${place}`);
    const path = realpathSync(place);
    if (!statSync(path).isDirectory()) {
      if (!isPlan(path)) throw new UsageError(`${place} is not a plan: plans are named NAME.plan.ts`);
      return [path];
    }
    return plansIn(path);
  });
  for (const path of found) {
    if (relative(project.root, path).startsWith("..")) {
      throw new UsageError(`${path} is outside the project ${project.root}`);
    }
  }
  return [...new Set(found)].sort();
}

function planNamed(folder: string, word: string): string {
  const known = existsSync(folder) ? plansIn(folder) : [];
  const found = known.find((path) => basename(path) === `${word}.plan.ts`);
  if (found !== undefined) return found;
  const near = didYouMean(basename(word, ".plan.ts"), known.map((path) => basename(path, ".plan.ts")));
  throw new UsageError(`there is no ${word}${near === undefined ? "" : `; ${near}`}`);
}

function isPlan(path: string): boolean {
  return path.endsWith(".plan.ts") && basename(path) !== ".plan.ts";
}

function plansIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : plansIn(path);
    return isPlan(path) ? [path] : [];
  });
}

/** How messages name a file: as seen from the current folder. */
export function displayPath(path: string): string {
  const near = relative(process.cwd(), path);
  return (near.startsWith(`..${sep}..`) ? path : near).split(sep).join("/");
}

/** The engine: given, named by the environment, the nearest engine/bin/rankd above the project, the one that
 * was installed with this package, or the nearest one above the package. */
export function findRankd(project: Project, given?: string): string | undefined {
  const named = given ?? process.env["MILLRACE_RANKD"];
  if (named !== undefined && named !== "") {
    if (!runs(named)) throw new UsageError(`${named} does not run; --rankd names the engine`);
    return named;
  }
  const installed = join(packageFolder(), "bin", "rankd");
  return rankdAbove(project.root) ?? (existsSync(installed) ? installed : rankdAbove(packageFolder()));
}

function rankdAbove(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const path = join(folder, "engine", "bin", "rankd");
    if (existsSync(path)) return path;
    if (dirname(folder) === folder) return undefined;
  }
}

function runs(program: string): boolean {
  try {
    execFileSync(program, ["--help"], { stdio: "ignore", timeout: 10_000, killSignal: "SIGKILL" });
    return true;
  } catch {
    return false;
  }
}
