// For tests: plans compiled by `dslc`, with checks of types and engine, in a project with this
// repository's registry.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const repository = join(process.cwd(), "..");

export interface PlanArtifact {
  nodes: { id: string; inputs?: string[]; params: Record<string, string> }[];
  sources?: unknown;
}

/** Checks and builds a plan, and gives its artifact. */
export function compilePlan(source: string): PlanArtifact {
  const folder = mkdtempSync(join(tmpdir(), "millrace-lab-"));
  try {
    cpSync(join(repository, "registry"), join(folder, "registry"), { recursive: true });
    mkdirSync(join(folder, "plans"));
    writeFileSync(join(folder, "plans/lab.plan.ts"), source);
    for (const command of ["check", "build"]) {
      const run = spawnSync(process.execPath, ["bin/dslc", command, "--root", folder], {
        encoding: "utf8",
      });
      assert.equal(run.status, 0, run.stdout + run.stderr);
    }
    return JSON.parse(readFileSync(join(folder, "plans/lab.plan.json"), "utf8")) as PlanArtifact;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export type ValueKind = "number" | "bool" | "text";

/** Compiles a plan with a node for each expression; gives the texts of the expressions. */
export function compileExpressions(
  expressions: readonly { kind: ValueKind; source: string }[],
): string[] {
  const outKeys = { number: "boost", text: "response" };
  const nodes = expressions.map(({ kind, source }) =>
    kind === "bool"
      ? `.filter({ pred: ${source} })`
      : `.vm({ outKey: Key.${outKeys[kind]}, expr: ${source} })`,
  );
  const { nodes: made } = compilePlan(`import { definePlan, E, Pred } from "@millrace/dsl";
export default definePlan({
  name: "lab",
  build: (ctx) => ctx.viewer({ endpoint: EP.redis.redis_default })
    .vm({ outKey: Key.score, expr: 1.5 })
    ${nodes.join("\n    ")},
});
`);
  return made.slice(2).map(({ params }) => (params.expr ?? params.pred)!);
}
