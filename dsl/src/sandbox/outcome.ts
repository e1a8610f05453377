import type { DraftError, SandboxResult } from "../exchange/draft.ts";
import type { Site } from "../exchange/site.ts";

/** An exception of a plan that is not a PlanError, with the place of the latest call before it. */
export interface Thrown {
  readonly name: string;
  readonly message: string;
  /** Lines and columns refer to the scripts as they were run. */
  readonly stack: string;
  readonly site: Site;
}

/** What the sandbox returns instead of a SandboxResult if the plan's own code failed. */
export type GuestFailure = { readonly errors: DraftError[] } | { readonly thrown: Thrown };

/** How a run in the sandbox ended. */
export type Outcome =
  /** Text from inside the sandbox; its contents must not be trusted. */
  | { readonly kind: "text"; readonly text: string }
  /** A limit was reached: `time`, `memory`, `stack`. */
  | { readonly kind: "limit"; readonly limit: "time" | "memory" | "stack"; readonly stack: string }
  /** A script could not be loaded. */
  | { readonly kind: "broken"; readonly message: string };

export type { SandboxResult };
