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

/** What is said when a plan reaches a limit; the code is `time_limit`, `memory_limit`, `stack_limit`. */
export const LIMIT_MESSAGES = {
  time: "The plan does not end",
  memory: "The plan needs too much memory to build",
  stack: "A call or an expression of the plan goes too deep",
} as const;

/** What to do then. */
export const LIMIT_HINTS = {
  time: "look for a loop without an end",
  memory: "look for a loop that keeps adding; long lists belong into the store",
  stack: "split a long expression over several nodes; end a function that calls itself",
} as const;
