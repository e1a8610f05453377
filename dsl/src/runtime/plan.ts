// `definePlan`, and running a plan: its build function is called once, and the result is one JSON
// text.
import type { DraftPlan, SandboxResult } from "../exchange/draft.ts";
import { NOWHERE, type Site } from "../exchange/site.ts";
import { didYouMean } from "../extract/names.ts";
import { callSite, PlanError } from "../hooks/call_site.ts";
import { endBuild, problemOf, report, startBuild, type Build } from "./build.ts";
import { kindOf, plain } from "./param_values.ts";
import { keys } from "./registry.ts";
import { context, outputNode } from "./rows.ts";
import { keyOf } from "./values.ts";

const FIELDS: readonly string[] = [
  "name",
  "version",
  "build",
  "outputKeys",
  "reserveMs",
  "fragments",
];
const HOUR_MS = 3_600_000;

type Given = Readonly<Record<string, unknown>>;

/** A plan that was defined and has not run yet. */
export class PlanDefinition {
  constructor(
    readonly spec: Given,
    readonly site: Site,
  ) {
    Object.freeze(this);
  }
}

export function definePlan(spec: unknown): PlanDefinition {
  const site = callSite();
  if (typeof spec !== "object" || spec === null) {
    throw new PlanError("wrong_type", `definePlan takes one object, found ${kindOf(spec)}`, site);
  }
  return new PlanDefinition(spec as Given, site);
}

/** Runs a plan and gives a SandboxResult as JSON text. `chosen`: fragment versions by name. */
export function run(definition: unknown, chosen: Readonly<Record<string, string>> = {}): string {
  const build = startBuild();
  let plan: DraftPlan | undefined;
  let site: Site = NOWHERE;
  try {
    if (!(definition instanceof PlanDefinition)) {
      throw new PlanError(
        "no_plan",
        "The default export is not a plan",
        NOWHERE,
        "write `export default definePlan({ name, build })`",
      );
    }
    site = definition.site;
    chooseFragments(definition, chosen, build);
    plan = readPlan(definition, build);
  } catch (error) {
    build.errors.push(problemOf(error, callSite() || site));
  } finally {
    endBuild();
  }
  const result: SandboxResult =
    plan === undefined || build.errors.length > 0 ? { errors: build.errors } : { plan };
  return JSON.stringify(result);
}

/** Records which versions the plan asks for, and those that `chosen` replaces. */
function chooseFragments(
  { spec, site }: PlanDefinition,
  chosen: Readonly<Record<string, string>>,
  build: Build,
): void {
  const own = spec.fragments ?? {};
  if (typeof own !== "object" || Array.isArray(own)) {
    report("wrong_type", `fragments: expected an object, found ${kindOf(own)}`, site);
    return;
  }
  for (const [name, version] of Object.entries({ ...own, ...chosen } as Given)) {
    if (typeof version === "string") {
      build.chosen.set(name, version);
    } else {
      report("wrong_type", `fragments.${name}: expected a string, found ${kindOf(version)}`, site);
    }
  }
}

function readPlan({ spec, site }: PlanDefinition, build: Build): DraftPlan {
  for (const name of Object.keys(spec)) {
    if (!FIELDS.includes(name)) {
      report("unknown_field", `Unknown field of a plan: ${name}`, site, didYouMean(name, FIELDS));
    } else if (spec[name] === undefined) {
      report("undefined_value", `${name} of the plan is undefined`, site);
    }
  }
  const name = readName(spec, site);
  const version = plain(spec.version);
  if (version !== undefined && typeof version !== "string" && !Number.isSafeInteger(version)) {
    report("wrong_type", `version: expected a string or an int, found ${kindOf(version)}`, site);
  }
  const reserve = plain(spec.reserveMs);
  if (
    reserve !== undefined &&
    !(Number.isInteger(reserve) && (reserve as number) >= 1 && (reserve as number) <= HOUR_MS)
  ) {
    report(
      "bad_timeout",
      "reserveMs is not a duration",
      site,
      "a whole number of milliseconds from 1 to one hour",
    );
  }
  const outputs = runBuild(spec, site);
  for (const fragment of build.chosen.keys()) {
    if (build.fragments.has(fragment)) continue;
    report("unknown_version", `The plan uses no fragment '${fragment}'`, site);
  }
  const outputKeys = readOutputKeys(
    spec,
    site,
    outputs.map((index) => build.columns[index]!),
  );
  return {
    name,
    ...(version !== undefined && { version: version as string | number }),
    site,
    nodes: build.nodes,
    outputs,
    ...(outputKeys !== undefined && { output_keys: outputKeys }),
    ...(reserve !== undefined && { reserve_ms: reserve as number }),
    ...(build.fragments.size > 0 && { fragments: [...build.fragments.values()] }),
  };
}

function readName(spec: Given, site: Site): string {
  if (typeof spec.name === "string" && spec.name !== "") return spec.name;
  if (spec.name === undefined) report("missing_field", "The plan has no name", site);
  else report("wrong_type", `name: expected a string, found ${kindOf(spec.name)}`, site);
  return "";
}

/** Calls the author's build function; gives the indices of the output nodes. */
function runBuild(spec: Given, site: Site): number[] {
  if (typeof spec.build !== "function") {
    report("missing_field", "The plan has no build function", site);
    return [];
  }
  const made: unknown = (spec.build as (ctx: object) => unknown)(context);
  if (made instanceof Promise) {
    throw new PlanError("wrong_type", "build is asynchronous", site, "plans are built at once");
  }
  const list = Array.isArray(made) ? Array.from(made as unknown[]) : [made];
  if (list.length === 0) report("no_output", "The plan has no output", site);
  const outputs: number[] = [];
  for (const rows of list) {
    const node = outputNode(rows);
    if (node === undefined) {
      report(
        "no_output",
        `build gives ${kindOf(rows)}${rows === undefined ? "" : ", not rows of a node"}`,
        site,
        "return the rows to answer with, or a list of them",
      );
    } else if (outputs.includes(node.index)) {
      report("unknown_output", "build gives the same rows twice", node.site);
    } else {
      outputs.push(node.index);
    }
  }
  return outputs;
}

function readOutputKeys(
  spec: Given,
  site: Site,
  columns: readonly ReadonlySet<string>[],
): string[] | undefined {
  if (spec.outputKeys === undefined) return undefined;
  if (!Array.isArray(spec.outputKeys)) {
    report(
      "wrong_type",
      `outputKeys: expected a list of keys, found ${kindOf(spec.outputKeys)}`,
      site,
    );
    return undefined;
  }
  const names: string[] = [];
  for (const item of Array.from(spec.outputKeys as unknown[])) {
    const key = keyOf(item);
    if (key === undefined) {
      report("wrong_type", `outputKeys: expected a key, found ${kindOf(item)}`, site);
      continue;
    }
    const where = key.site || site;
    if (names.includes(key.name)) report("bad_value", `Output key named twice: ${key.name}`, where);
    if (keys.get(key.name)?.lifecycle === "blocked") {
      report("blocked_key", `The key is blocked: ${key.name}`, where);
    } else if (columns.length > 0 && !columns.some((set) => set.has(key.name))) {
      report("key_not_available", `Nothing writes the output key: ${key.name}`, where);
    }
    names.push(key.name);
  }
  return names;
}
