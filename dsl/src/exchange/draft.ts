import type { Expression } from "./expression.ts";
import type { Site } from "./site.ts";

/** What a plan in the sandbox returns, as one JSON text. */
export type SandboxResult = { plan: DraftPlan } | { errors: DraftError[] };

export interface DraftError {
  message: string;
  site: Site;
  /** A code of docs/reference/plan-errors.md if one fits, else a code of the compiler. */
  code: string;
  hint?: string;
  /** Stack trace of an error that the plan's own code threw; it is more exact than `site`. */
  stack?: string;
}

export interface DraftPlan {
  name: string;
  version?: string | number;
  site: Site;
  nodes: DraftNode[];
  /** Indices into `nodes`. */
  outputs: number[];
  output_keys?: string[];
  reserve_ms?: number;
  /** Fragments that the plan uses: the version in use, and all that exist. */
  fragments?: { name: string; version: string; versions: string[] }[];
}

/** A param's value: JSON, an expression, a node. Wrapped so that no JSON value is ambiguous. */
export type DraftValue =
  | { json: unknown; site: Site }
  | { expression: Expression; site: Site }
  | { node: number; site: Site };

/** Where a node's rows come from: another node, a field of the request, constant ids. */
export type DraftInput = number | { request: string } | { ids: number[] };

export interface DraftNode {
  /** Position in `nodes`; nodes are numbered in the order in which they are made. */
  index: number;
  op: string;
  /** The id that the author gave (`id` option) or the variable that holds the node; the host makes
   * ids unique and gives one to all other nodes. */
  id?: string;
  name?: string;
  inputs: DraftInput[];
  /** By the artifact's names, in the manifest's order. */
  params: Record<string, DraftValue>;
  /** Fields of the node other than params, by the artifact's names: timeout_ms, on_failure, … A
   * fallback node is `{use: "node", node: index}` here. */
  options: Record<string, unknown>;
  site: Site;
  /** Fragment calls during which this node was made, outermost first. */
  calls: { fragment: string; version: string; site: Site }[];
}

/** Builders hold the draft of their node under this symbol, so that the compiler's hooks can name
 * it after the variable that holds it. */
/** How many nodes a plan may have; the engine has the same limit (`node_count_max`). */
export const NODE_COUNT_MAX = 10_000;

export const NODE: unique symbol = Symbol.for("millrace.node") as never;
