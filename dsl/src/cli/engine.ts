// Runs the engine's own checks, so that a plan that compiles also loads.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CompiledPlan } from "../compile/compiler.ts";
import type { Problem } from "../exchange/problem.ts";
import type { Site } from "../exchange/site.ts";
import { siteAt } from "../emit/print_expression.ts";
import type { SiteTable } from "../extract/site_table.ts";
import type { Project } from "./project.ts";

interface EngineProblem {
  readonly code: string;
  readonly severity?: "warning";
  /** What has the problem, as `node 'top' (sort)`. */
  readonly subject?: string;
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

interface EngineReport {
  readonly file: string;
  readonly ok: boolean;
  readonly problems?: readonly EngineProblem[];
}

/** The engine to ask, and how long to wait for its answer. */
export interface EngineChoice {
  readonly rankd: string;
  readonly limitMs: number;
}

/** Lets the engine check all artifacts at once; gives the problems of each plan. */
export async function checkWithEngine({ rankd, limitMs }: EngineChoice, project: Project,
    plans: readonly CompiledPlan[], sites: SiteTable): Promise<Map<CompiledPlan, Problem[]>> {
  const folder = mkdtempSync(join(tmpdir(), "dslc-"));
  try {
    const files = new Map<string, CompiledPlan>();
    for (const plan of plans) {
      if (plan.artifact === undefined) continue;
      const file = join(folder, `${files.size}.plan.json`);
      writeFileSync(file, plan.artifact.text);
      files.set(file, plan);
    }
    const found = new Map<CompiledPlan, Problem[]>();
    if (files.size === 0) return found;
    const plugins = project.plugins.flatMap((path) => ["--plugin", path]);
    const options = ["--root", project.root, "--registry", project.registry, ...plugins, "check", "--format", "json"];
    const reports = await runCheck(rankd, [...options, ...files.keys()], limitMs);
    for (const report of reports) {
      const plan = files.get(report.file);
      if (plan === undefined || (report.ok && (report.problems ?? []).length === 0)) continue;
      // Plans of one name are reported by the session, with the names of their sources.
      const problems = (report.problems ?? []).filter(({ code }) => code !== "duplicate_plan");
      found.set(plan, problems.map((problem) => placed(plan, problem, sites)));
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runCheck(rankd: string, options: readonly string[], limitMs: number): Promise<EngineReport[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(rankd, options, { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      clearTimeout(timer);
      // It exits with 1 if a plan has problems, and prints them.
      try {
        resolve(JSON.parse(stdout) as EngineReport[]);
      } catch {
        reject(new Error(`${rankd} check failed: ${(stderr || error?.message || stdout).trim()}`));
      }
    });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      // Processes that the engine started may keep its pipes open; nobody waits for them.
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.unref();
      reject(new Error(`${rankd} check gave no answer within ${limitMs / 1000} s and was ended; ` +
        "--engine-timeout sets how long to wait, --no-engine leaves its checks out"));
    }, limitMs);
  });
}

/** Converts a problem of the artifact into one of the source. */
function placed(plan: CompiledPlan, problem: EngineProblem, sites: SiteTable): Problem {
  const { code, hint } = problem;
  const inText = / \(at (\d+):(\d+) of the expression\)$/.exec(problem.message);
  const message = inText ? problem.message.slice(0, inText.index) : problem.message;
  const site = siteOf(plan, problem.path, inText ? Number(inText[2]) - 1 : undefined);
  const place = sites.find(site ?? 0);
  return { severity: problem.severity ?? "error", code, message, ...(hint !== undefined && { hint }),
    file: place?.source.file ?? plan.source.file,
    ...(place && { span: place.source.span(place.start, place.end) }) };
}

function siteOf(plan: CompiledPlan, path: string, column: number | undefined): Site | undefined {
  const origin = plan.artifact!.origin;
  // Try the place itself, then what contains it: nodes[2].params.by[0], nodes[2].params.by, …
  for (let at = path; ; at = at.replace(/(\.[^.[\]]+|\[\d+\])$/, "")) {
    const printed = origin.expressions.get(at);
    const exact = printed && column !== undefined ? siteAt(printed, column) : undefined;
    const site = exact ?? origin.sites.get(at);
    if (site) return site;
    if (at === "" || !/[.[]/.test(at)) return origin.sites.get("");
  }
}
