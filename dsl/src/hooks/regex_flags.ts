// Flags of regular expressions: the engine's are those that change what matches.
import type { Site } from "../exchange/site.ts";
import { PlanError } from "./call_site.ts";

/** Refuses a flag that the engine does not know. */
export function checkFlags(regex: RegExp, site: Site): void {
  const unknown = [...regex.flags].filter((flag) => !"ims".includes(flag));
  if (unknown.length === 0) return;
  throw new PlanError(
    "bad_expression",
    `The engine has no regex flag \`${unknown.join("")}\`: /${regex.source}/${regex.flags}`,
    site,
    "the flags are i, m and s; every match is searched in the whole text, which is UTF-8",
  );
}
