// Fragments: parts of plans with a name and versions. A call runs the build of the chosen version;
// the nodes made by it remember the call.
import { callSite, PlanError } from "../hooks/call_site.ts";
import { currentBuild } from "./build.ts";

type Builder = (...args: unknown[]) => unknown;

interface FragmentSpec {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly build?: unknown;
  readonly versions?: unknown;
}

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

function run(
  name: string,
  version: string,
  versions: Map<string, Builder>,
  args: unknown[],
): unknown {
  const site = callSite();
  const build = currentBuild(`The fragment ${name} is used`);
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
  build.fragments.set(name, { name, version, versions: [...versions.keys()] });
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
  const own = spec.version as string;
  const fragment = (...args: unknown[]): unknown =>
    run(name, currentBuild(`The fragment ${name} is used`).chosen.get(name) ?? own, versions, args);
  return Object.freeze(
    Object.assign(fragment, {
      version:
        (version: string) =>
        (...args: unknown[]) =>
          run(name, version, versions, args),
    }),
  );
}
