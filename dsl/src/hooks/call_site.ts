// The compiler rewrites every call of a plan so that its place is noted just before it happens:
// `f(a, b)` becomes `f(a, __mr_at(17, b))`. Whatever the call does can ask where it was made.
import { NOWHERE, type Site } from "../contract/site.ts";

let current: Site = NOWHERE;

/** Notes that the call at `site` is about to happen; gives its last argument through. */
export function at<T>(site: Site, value: T): T {
  current = site;
  return value;
}

/** The same for a call without arguments, or whose last one is spread: an empty list to spread. */
export function atEnd(site: Site): [] {
  current = site;
  return [];
}

/** Where the plan's latest call was made. Ask first thing: callbacks move it on. */
export function callSite(): Site {
  return current;
}

/** An error of the plan's author, with its place. */
export class PlanError extends Error {
  override readonly name = "PlanError";
  constructor(
    readonly code: string,
    message: string,
    readonly site: Site = current,
    readonly hint?: string,
  ) {
    super(message);
  }
}
