// The compiler rewrites every call of a plan so that its place is recorded just before it happens:
// `f(a, b)` becomes `f(a, __mr_at(17, b))`. The called function can then ask where it was called.
// If the last argument is an object literal, the places of its properties are recorded too.
import { NOWHERE, type Site } from "../exchange/site.ts";

/** Places of the properties of a literal, by name. */
export type PropertySites = Readonly<Record<string, Site>>;

const NO_SITES: PropertySites = Object.freeze(Object.create(null) as Record<string, Site>);

let current: Site = NOWHERE;
let properties: PropertySites = NO_SITES;

/** Records that the call at `site` is about to happen; returns its last argument unchanged. */
export function at<T>(site: Site, value: T, sites: PropertySites = NO_SITES): T {
  current = site;
  properties = sites;
  return value;
}

/** The same for a call without arguments, or whose last argument is spread: gives an empty list to
 * spread. */
export function atEnd(site: Site): [] {
  current = site;
  properties = NO_SITES;
  return [];
}

/** The place of the plan's latest call. Ask before anything else: callbacks change it. */
export function callSite(): Site {
  return current;
}

/** The place of each property of the latest call's last argument; for other names, that of the
 * call. Ask before anything else, too. */
export function propertySites(): (name: string) => Site {
  const [call, sites] = [current, properties];
  return (name) => (Object.hasOwn(sites, name) ? sites[name]! : call);
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
