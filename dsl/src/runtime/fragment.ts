// Fragments: parts of plans with a name and versions. A call runs the build function of the chosen
// version; the nodes made by it record the call.
import { callSite, PlanError } from "../hooks/call_site.ts";
import { currentBuild } from "./build.ts";

type Builder = (...args: unknown[]) => unknown;

interface FragmentSpec {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly build?: unknown;
  readonly versions?: unknown;
}

/** Gives all versions, the default one first. */
function readVersions(spec: FragmentSpec): Map<string, Builder> {
  const others = spec.versions === undefined ? [] : Object.entries(spec.versions as object);
  const versions = new Map<string, Builder>();
  for (const [version, build] of [[spec.version, spec.build], ...others] as [unknown, unknown][]) {
    if (typeof version !== "string" || version === "") {
      throw new PlanError("wrong_type", 'A fragment\'s version is a text, as "1"');
    }
    if (typeof build !== "function") {
      throw new PlanError("wrong_type", `Version ${version} of the fragment has no build function`);
    }
    if (versions.has(version)) {
      throw new PlanError("bad_value", `The fragment has version ${version} twice`);
    }
    versions.set(version, build as Builder);
  }
  return versions;
}

/** Calls a fragment; `pinned` is the version that the call itself names. */
function run(
  name: string,
  versions: Map<string, Builder>,
  args: unknown[],
  pinned?: string,
): unknown {
  const site = callSite();
  const build = currentBuild(`The fragment ${name} is used`);
  const [own] = versions.keys();
  const version = pinned ?? build.chosen.get(name) ?? own!;
  const body = versions.get(version);
  if (body === undefined) {
    throw new PlanError(
      "unknown_version",
      `The fragment ${name} has no version ${version}`,
      site,
      `one of ${[...versions.keys()].join(", ")}`,
    );
  }
  if (build.calls.some((call) => call.fragment === name)) {
    const path = [...build.calls.map((call) => call.fragment), name].join(" → ");
    throw new PlanError("cycle", `Fragments use each other in a circle: ${path}`, site);
  }
  const undefinedAt = args.indexOf(undefined);
  if (undefinedAt >= 0) {
    throw new PlanError(
      "undefined_value",
      `Argument ${undefinedAt + 1} of the fragment ${name} is undefined`,
      site,
    );
  }
  if ((build.fragmentBodies.get(name) ?? versions) !== versions) {
    throw new PlanError("bad_name", `Two fragments have the name ${name}`, site);
  }
  build.fragmentBodies.set(name, versions);
  // A request can choose only the version of calls that name none themselves.
  if (pinned === undefined || !build.fragments.has(name)) {
    build.fragments.set(name, { name, version, versions: [...versions.keys()] });
  }
  build.calls.push({ fragment: name, version, site });
  try {
    return body(...args);
  } finally {
    build.calls.pop();
  }
}

export function defineFragment(given: unknown): unknown {
  const spec = (typeof given === "object" && given !== null ? given : {}) as FragmentSpec;
  const { name } = spec;
  if (typeof name !== "string" || name === "") {
    throw new PlanError("missing_field", "A fragment needs a name");
  }
  for (const field of Object.keys(spec)) {
    if (["name", "version", "build", "versions"].includes(field)) continue;
    throw new PlanError("unknown_field", `Unknown field of a fragment: ${field}`);
  }
  const versions = readVersions(spec);
  const fragment = (...args: unknown[]): unknown => run(name, versions, args);
  return Object.freeze(
    Object.assign(fragment, {
      version:
        (version: string) =>
        (...args: unknown[]) =>
          run(name, versions, args, version),
    }),
  );
}
