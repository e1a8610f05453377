import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Problem } from "../exchange/problem.ts";
import type { Arguments, CommandHelp, FlagHelp } from "./arguments.ts";
import { UsageError } from "./arguments.ts";
import { contentOf, progressOn, removeStaleVariants, showJson, showProblems, writeTargets } from "./output.ts";
import { displayPath, findPlans, findProject, PLUGIN_FLAG, type Project } from "./project.ts";
import { Session, type BuildResult, type BuiltPlan, type SessionOptions } from "./session.ts";

export const COMMON_FLAGS: Readonly<Record<string, FlagHelp>> = {
  root: { value: "DIR", about: "project with registry/ and plans/ (default: found upwards)" },
  rankd: { value: "PATH", about: "the engine (default: $MILLRACE_RANKD, engine/bin/rankd upwards, the installed one)" },
  plugin: PLUGIN_FLAG,
  "engine-timeout": { value: "SECONDS", about: "how long to wait for the engine's checks (default: 120)" },
  "no-engine": { about: "leave out the engine's own checks" },
  format: { value: "FORMAT", choices: ["text", "json"], about: "text (default) or json" },
};

export const BUILD_HELP: CommandHelp = {
  usage: "dslc build [NAME | FILE.plan.ts | FOLDER]...",
  about: "Compile plans; without a name, all of the project's plans/.\n" +
    "Each NAME.plan.ts becomes NAME.plan.json beside it; nothing is written for a plan with errors.",
  flags: { out: { value: "DIR", about: "folder for the artifacts" }, ...COMMON_FLAGS },
};

export const CHECK_HELP: CommandHelp = {
  usage: "dslc check [NAME | FILE.plan.ts | FOLDER]...",
  about: "Report everything that is wrong with plans, types included; write nothing.",
  flags: {
    artifacts: { about: "also report artifacts that are not what build would write" },
    out: { value: "DIR", about: "folder of the artifacts" }, ...COMMON_FLAGS,
  },
};

/** Finds the project and the plans that the arguments name. */
export function readTarget({ words, flags, lists }: Arguments):
    { project: Project; plans: string[]; options: SessionOptions } {
  const project = findProject(words[0] === undefined ? "." : nearFolder(words[0]), flags.get("root"),
    lists.get("plugin"));
  const out = flags.get("out");
  const rankd = flags.get("rankd");
  const seconds = flags.get("engine-timeout");
  return { project, plans: findPlans(project, words), options: {
    ...(rankd !== undefined && { rankd }),
    ...(seconds !== undefined && { engineMs: readSeconds(seconds) * 1000 }), withoutEngine: flags.has("no-engine"),
    ...(out !== undefined && { out: resolve(out) }),
  } };
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (text !== "" && seconds > 0 && seconds <= 86_400) return seconds;
  throw new UsageError(`--engine-timeout is a number of seconds from above 0 to 86400, not '${text}'`);
}

/** Where the search for a project begins: a word may name a file, a folder or a plan. */
function nearFolder(word: string): string {
  const folder = word.endsWith(".ts") ? resolve(word, "..") : word;
  return existsSync(folder) ? folder : ".";
}

async function compile(given: Arguments): Promise<{ result: BuildResult; project: Project }> {
  const { project, plans, options } = readTarget(given);
  if (plans.length === 0) throw new UsageError("there are no plans: files named NAME.plan.ts");
  // The session is not closed: the process ends soon and ends it too.
  const session = new Session(project, { ...options, planCount: plans.length });
  return { project, result: await session.build(plans, progressOn(process.stderr, plans.length)) };
}

export async function runBuild(given: Arguments): Promise<number> {
  const started = performance.now();
  const compiled = await compile(given);
  const { result, written } = writeTargets(compiled.result);
  removeStaleVariants(result.plans);
  const failed = result.plans.filter(({ ok }) => !ok).length;
  if (given.flags.get("format") === "json") {
    showJson(result, written);
  } else {
    showProblems(result);
    for (const [{ target }, state] of written) {
      if (state === "written") process.stdout.write(`${displayPath(target)}\n`);
    }
    process.stderr.write(`dslc: ${summary(result, failed)}, ` +
      `${Math.round(performance.now() - started)} ms\n`);
  }
  return failed > 0 ? 1 : 0;
}

export async function runCheck(given: Arguments): Promise<number> {
  const { result: compiled, project } = await compile(given);
  const { checkTypes } = await import("./check_types.ts");
  const types = checkTypes(project, compiled.plans.map(({ plan }) => plan.path));
  const plans = compiled.plans.map((plan): BuiltPlan => {
    const more = [...(types.get(plan.plan.path) ?? []),
      ...(given.flags.has("artifacts") ? staleness(plan) : [])];
    // On a line where the compiler reported a problem, drop those of the type checker: the
    // compiler's are clearer.
    const told = new Set(plan.problems.map(({ file, span }) => `${file} ${span?.[0]}`));
    const problems = [...plan.problems,
      ...more.filter(({ file, span }) => !told.has(`${file} ${span?.[0]}`))];
    return { ...plan, problems, ok: plan.ok && problems.every(({ severity }) => severity !== "error") };
  });
  const result = { problems: [...compiled.problems, ...(types.get("") ?? [])], plans };
  const failed = plans.filter(({ ok }) => !ok).length;
  if (given.flags.get("format") === "json") {
    showJson(result, new Map());
  } else {
    showProblems(result);
    process.stderr.write(`dslc: ${summary(result, failed)}\n`);
  }
  return failed > 0 || result.problems.some(({ severity }) => severity === "error") ? 1 : 0;
}

function staleness({ plan, target }: BuiltPlan): Problem[] {
  if (plan.artifact === undefined || contentOf(target) === plan.artifact.text) return [];
  return [{ severity: "error", code: "stale_artifact", file: plan.source.file,
    message: `${displayPath(target)} is not what this plan compiles to`, hint: "run `dslc build`" }];
}

export function summary({ plans }: BuildResult, failed: number): string {
  const all = plans.length === 1 ? "1 plan" : `${plans.length} plans`;
  return failed === 0 ? `${all} ok` : `${failed} of ${all} failed`;
}
