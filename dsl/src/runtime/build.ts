// The plan under construction: its nodes, the fragments they are made in, and every problem so far.
import type { DraftError, DraftNode, DraftPlan } from "../exchange/draft.ts";
import { LIMIT_MESSAGES } from "../exchange/problem.ts";
import type { Site } from "../exchange/site.ts";
import { PlanError } from "../hooks/call_site.ts";

type FragmentUse = NonNullable<DraftPlan["fragments"]>[number];

export interface Build {
  readonly nodes: DraftNode[];
  /** Keys that the rows of each node have. */
  readonly columns: ReadonlySet<string>[];
  readonly errors: DraftError[];
  readonly calls: DraftNode["calls"];
  readonly fragments: Map<string, FragmentUse>;
  /** The build function of each fragment, to tell apart two fragments with the same name. */
  readonly fragmentBodies: Map<string, unknown>;
  /** Version of a fragment by its name, to use instead of the default one. */
  readonly chosen: Map<string, string>;
}

let current: Build | undefined;

export function startBuild(): Build {
  current = {
    nodes: [],
    columns: [],
    errors: [],
    calls: [],
    fragments: new Map(),
    fragmentBodies: new Map(),
    chosen: new Map(),
  };
  return current;
}

export function endBuild(): void {
  current = undefined;
}

/** The build that is running; nodes can be made only during a build. */
export function currentBuild(what: string): Build {
  if (current !== undefined) return current;
  throw new PlanError(
    "outside_build",
    `${what} outside of a plan's build`,
    undefined,
    "make nodes inside build: (ctx) => …",
  );
}

export function nodeCount(): number {
  return current?.nodes.length ?? 0;
}

/** Records a problem and continues, so that one run reports all of them. */
export function report(code: string, message: string, site: Site, hint?: string): void {
  if (current === undefined) throw new PlanError(code, message, site, hint);
  current.errors.push({ code, message, site, ...(hint !== undefined && { hint }) });
}

/** Converts a thrown value into a problem. */
export function problemOf(error: unknown, site: Site): DraftError {
  if (error instanceof PlanError) {
    return {
      code: error.code,
      message: error.message,
      site: error.site,
      ...(error.hint !== undefined && { hint: error.hint }),
    };
  }
  // QuickJS throws null if memory has run out and it cannot make an error object.
  if (error === null) return { code: "memory_limit", message: LIMIT_MESSAGES.memory, site };
  if (!(error instanceof Error)) return { code: "exception", message: String(error), site };
  return {
    code: "exception",
    message: `${error.name}: ${error.message}`,
    site,
    ...(typeof error.stack === "string" && { stack: error.stack }),
  };
}
