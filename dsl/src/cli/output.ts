import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Problem } from "../exchange/problem.ts";
import { displayPath } from "./project.ts";
import { problemJson, problemText, sorted, type ReportStyle } from "./report.ts";
import type { BuildResult, BuiltPlan } from "./session.ts";

/** What happened to the artifact of a plan. */
export type Written = "written" | "unchanged" | "none";

/** Removes artifacts of variants that a plan no longer has, so that no engine loads them. */
export function removeStaleVariants(plans: readonly BuiltPlan[]): void {
  const targets = new Set(plans.map(({ target }) => target));
  for (const { plan, target, ok } of plans) {
    if (!ok || Object.keys(plan.fragments).length > 0) continue;
    const beginning = `${basename(target, ".plan.json")}@`;
    for (const name of readdirSync(dirname(target))) {
      const path = join(dirname(target), name);
      if (name.startsWith(beginning) && name.endsWith(".plan.json") && !targets.has(path)) rmSync(path);
    }
  }
}

/** Writes the artifact completely or not at all; a file with the same text is left as it is. */
export function writeTarget({ plan, target, ok }: BuiltPlan): Written {
  if (!ok) return "none";
  const { text } = plan.artifact!;
  if (contentOf(target) === text) return "unchanged";
  mkdirSync(dirname(target), { recursive: true });
  const fresh = `${target}.${process.pid}.new`;
  try {
    writeFileSync(fresh, text);
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  return "written";
}

/** Writes all artifacts that are ok; one that cannot be written is a problem of its plan. */
export function writeTargets(result: BuildResult): { result: BuildResult; written: Map<BuiltPlan, Written> } {
  const written = new Map<BuiltPlan, Written>();
  const plans = result.plans.map((built): BuiltPlan => {
    try {
      written.set(built, writeTarget(built));
      return built;
    } catch (error) {
      const failed = { ...built, ok: false, problems: [...built.problems, cannotWrite(built, error)] };
      written.set(failed, "none");
      return failed;
    }
  });
  return { result: { ...result, plans }, written };
}

function cannotWrite({ plan, target }: BuiltPlan, error: unknown): Problem {
  return { severity: "error", code: "cannot_write", file: plan.source.file,
    message: `The artifact cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    hint: `make ${displayPath(target)} a file that you may write, or choose a folder with --out` };
}

export function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

export function styleFor(stream: NodeJS.WriteStream): ReportStyle {
  return {
    color: stream.isTTY === true && !process.env["NO_COLOR"],
    lineOf: (file, line) => contentOf(resolve(file))?.split("\n")[line - 1]?.replace(/\r$/, ""),
  };
}

export function allProblems({ plans, problems }: BuildResult) {
  return [...problems, ...sorted(plans.flatMap((plan) => plan.problems))];
}

/** Prints problems to stderr, for people. */
export function showProblems(result: BuildResult): void {
  const style = styleFor(process.stderr);
  for (const problem of allProblems(result)) process.stderr.write(problemText(problem, style));
}

/** Prints everything to stdout, as JSON. */
export function showJson(result: BuildResult, written: ReadonlyMap<BuiltPlan, Written>): void {
  const plans = result.plans.map((plan) => ({ plan: plan.plan.source.file, ok: plan.ok,
    ...(written.has(plan) && { artifact: displayPath(plan.target), state: written.get(plan) }) }));
  process.stdout.write(`${JSON.stringify({ plans,
    problems: allProblems(result).map(problemJson) }, null, 2)}\n`);
}

/** Counts plans on a terminal, in one line that is removed at the end. */
export function progressOn(stream: NodeJS.WriteStream, total: number): (done: number) => void {
  if (stream.isTTY !== true || total < 2) return () => {};
  return (done) => {
    stream.write(done < total ? `\r  ${done}/${total} plans` : "\r\x1b[K");
  };
}
