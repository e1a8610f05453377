// A project in a temporary folder, for tests.
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findProject, type Project } from "../cli/project.ts";
import { currentTypes } from "../cli/types.ts";
import { packageFolder } from "../dist_folder.ts";
import type { Limits } from "../sandbox/worker.ts";
import { Compiler, type CompiledPlan } from "./compiler.ts";

export const REPOSITORY = join(packageFolder(), "..");

export class PlanFixture {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "dslc-test-")));
  readonly project: Project;
  readonly compiler: Compiler;

  constructor(limits?: Limits) {
    cpSync(join(REPOSITORY, "registry"), join(this.root, "registry"), { recursive: true });
    this.project = findProject(this.root);
    this.compiler = new Compiler({ root: this.root, bindings: currentTypes(this.project, undefined).bindings,
      ...(limits && { limits }) });
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.root, name)), { recursive: true });
      writeFileSync(join(this.root, name), text);
    }
  }

  /** Compiles the first of these files. */
  compile(files: Readonly<Record<string, string>>, fragments?: Record<string, string>):
      Promise<CompiledPlan> {
    this.write(files);
    return this.compiler.compile({ path: join(this.root, Object.keys(files)[0]!),
      ...(fragments && { fragments }) });
  }

  /** Compiles a plan with this body of `build`. */
  build(body: string, before = ""): Promise<CompiledPlan> {
    return this.compile({ "p.plan.ts": 'import { definePlan, Pred, E } from "@millrace/dsl";\n' +
      `${before}\nexport default definePlan({ name: "p", build: (ctx) => {\n${body}\n} });\n` });
  }

  /** The text of the expression that is written at EXPR in `vm({ expr: EXPR })`. */
  async expression(text: string, before = ""): Promise<string> {
    const plan = await this.build(
      `return ctx.viewer({ endpoint: EP.redis.redis_default }).vm({ outKey: Key.score, expr: ${text} });`,
      before);
    if (plan.artifact === undefined) return `error: ${plan.problems.map(({ message }) => message).join("; ")}`;
    const artifact = JSON.parse(plan.artifact.text) as { nodes: { params: { expr: string } }[] };
    return artifact.nodes[1]!.params.expr;
  }

  async close(): Promise<void> {
    await this.compiler.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Problems in short: `5:7 unknown_key Unknown key: …`. */
export function shortProblems({ problems }: Pick<CompiledPlan, "problems">): string[] {
  return problems.map(({ span, code, message }) =>
    `${span ? `${span[0]}:${span[1]}` : "-"} ${code} ${message}`);
}
