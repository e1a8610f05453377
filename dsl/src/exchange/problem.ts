import type { Span } from "./site.ts";

/** Something wrong with a plan, as it is reported to people and programs. */
export interface Problem {
  readonly severity: "error" | "warning";
  /** A code of docs/reference/plan-errors.md, or one of the compiler's own. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  /** Path of the source as the user named it; empty if the problem belongs to no file. */
  readonly file: string;
  /** Missing if only the file is known. */
  readonly span?: Span;
}
