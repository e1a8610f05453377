// What a run of a plan gives to the compiler: plain data, one JSON text.

/** Line, column, end line, end column in the `.plan.ts`; all from 1. */
export type Span = readonly [number, number, number, number];

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A key that an expression reads, and where. */
export interface KeyRead {
  readonly key: string;
  readonly span: Span | null;
}

/** An expression that the compiler took from the syntax tree. */
export interface ExtractedExpr {
  readonly text: string;
  readonly span: Span | null;
  readonly reads?: readonly KeyRead[];
  /** Whether it reads `viewer.x`. */
  readonly reads_viewer?: boolean;
}

/** A use of a fragment that a node came from, the outermost first. */
export interface FragmentUse {
  readonly name: string;
  readonly version: string;
  readonly span: Span | null;
}

/** A node in the order of its making. `inputs`: ids of nodes, `$req.x`, or constant ids. */
export interface DraftNode {
  readonly id: string;
  readonly op: string;
  readonly inputs: readonly (string | readonly number[])[];
  /** By manifest name and in manifest order; nodes as their ids, expressions as text. */
  readonly params: { readonly [name: string]: Json };
  /** By artifact name: timeout_ms, on_failure, on_row_error, priority, scheduling, trace. */
  readonly options: { readonly [name: string]: Json };
  readonly span: Span | null;
  /** Where expressions stand, by manifest name of the param. */
  readonly param_spans: { readonly [name: string]: Span };
  readonly fragments: readonly FragmentUse[];
}

export interface DraftPlan {
  readonly name: string;
  readonly version?: string | number;
  readonly nodes: readonly DraftNode[];
  readonly outputs: readonly string[];
  readonly output_keys?: readonly string[];
  readonly reserve_ms?: number;
  /** Every fragment that the plan uses, with the version taken and all there are. */
  readonly fragments: readonly { readonly name: string; readonly version: string; readonly versions: readonly string[] }[];
}

/** `code` is one of the engine's problem codes where one fits. */
export interface DraftProblem {
  readonly code: string;
  readonly message: string;
  readonly span: Span | null;
  readonly hint?: string;
}

export type DraftResult =
  | { readonly plan: DraftPlan; readonly warnings: readonly DraftProblem[] }
  | { readonly errors: readonly DraftProblem[] };

/** What `__mr_compile` may be told. */
export interface CompileChoice {
  /** Version of a fragment by its name, instead of its default. */
  readonly fragments?: { readonly [name: string]: string };
}
