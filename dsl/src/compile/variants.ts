// A plan whose fragments have several versions is compiled once for each choice that a request can make.
import type { DraftPlan } from "../exchange/draft.ts";
import type { Problem } from "../exchange/problem.ts";
import type { CompiledPlan, Compiler } from "./compiler.ts";

/** A plan with more combinations than this is treated as a mistake. */
const VARIANTS_MAX = 64;

/** Names and versions of fragments become parts of file names. */
const PLAIN = /^[\w.-]{1,64}$/;

type Versions = Readonly<Record<string, string>>;

/** Compiles a plan and its variants; the plan itself comes first. */
export async function compileWithVariants(compiler: Compiler, path: string): Promise<CompiledPlan[]> {
  const plan = await compiler.compile({ path });
  if (plan.artifact === undefined || !plan.draft?.fragments) return [plan];
  const odd = plan.draft.fragments.flatMap(({ name, versions }) => [name, ...versions])
    .find((text) => !PLAIN.test(text));
  if (odd !== undefined) {
    return [withProblem(plan, "bad_name", `Not a name or version of a fragment: ${JSON.stringify(odd)}`,
      "letters, digits, `.`, `_` and `-`, at most 64")];
  }
  const choices = await selectable(compiler, path, plan.draft);
  const count = [...choices.values()].reduce((product, versions) => product * (versions.length + 1), 1);
  if (count - 1 > VARIANTS_MAX) {
    return [withProblem(plan, "too_many_variants",
      `The plan's fragments can be chosen in ${count - 1} other ways; at most ${VARIANTS_MAX}`,
      "pin a version: `fragment.version(\"1\")(rows)`")];
  }
  const all: CompiledPlan[] = [plan];
  for (const fragments of combinations([...choices])) {
    if (Object.keys(fragments).length > 0) all.push(await compiler.compile({ path, fragments }));
  }
  return all;
}

/** The versions of each fragment that a request may choose: those that the plan does not pin. */
async function selectable(compiler: Compiler, path: string, draft: DraftPlan):
    Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const { name, version, versions } of draft.fragments ?? []) {
    const others = versions.filter((each) => each !== version);
    if (others.length === 0) continue;
    const tried = await compiler.compile({ path, fragments: { [name]: others[0]! } });
    // If it has errors, the version is unknown; treat it as selectable, so that the errors are
    // shown.
    const used = tried.draft?.fragments?.find((each) => each.name === name)?.version;
    if (used === undefined || used === others[0]) found.set(name, others);
  }
  return found;
}

/** All combinations of versions: for each fragment the plan's own version or another one. */
function combinations(choices: readonly (readonly [string, readonly string[]])[]): Versions[] {
  return choices.reduce<Versions[]>((made, [name, versions]) => made.flatMap((chosen) =>
    [chosen, ...versions.map((version) => ({ ...chosen, [name]: version }))]), [{}]);
}

function withProblem(plan: CompiledPlan, code: string, message: string, hint: string): CompiledPlan {
  const problem: Problem = { severity: "error", code, file: plan.source.file, span: [1, 1, 1, 1], message,
    hint };
  const { artifact: _, ...rest } = plan;
  return { ...rest, problems: [...plan.problems, problem] };
}
