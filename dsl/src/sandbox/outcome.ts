import type { DraftError, SandboxResult } from "../exchange/draft.ts";
import type { Site } from "../exchange/site.ts";

/** What a plan threw that is not a PlanError, with the place of the latest call before it. */
export interface Thrown {
  readonly name: string;
  readonly message: string;
  /** Lines and columns of the scripts as they were run. */
  readonly stack: string;
  readonly site: Site;
}

/** What the guest gives instead of a SandboxResult when the plan's own code failed. */
export type GuestFailure = { readonly errors: DraftError[] } | { readonly thrown: Thrown };

/** How a run in the sandbox ended. */
export type Outcome =
  /** Text from inside: nothing about it is certain but that it is text. */
  | { readonly kind: "text"; readonly text: string }
  /** A limit was reached: `time`, `memory`, `stack`. */
  | { readonly kind: "limit"; readonly limit: "time" | "memory" | "stack"; readonly stack: string }
  /** A script could not even be loaded. */
  | { readonly kind: "broken"; readonly message: string };

export type { SandboxResult };
