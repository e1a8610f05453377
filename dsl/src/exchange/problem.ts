import type { Span } from "./site.ts";

/** Something wrong with a plan, as people and programs get it. */
export interface Problem {
  readonly severity: "error" | "warning";
  /** A code of docs/reference/plan-errors.md, or one of the compiler's own. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  /** Path of the source as the user named it; empty when no file is to blame. */
  readonly file: string;
  /** Missing when only the file is known. */
  readonly span?: Span;
}
