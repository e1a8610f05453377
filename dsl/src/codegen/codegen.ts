// `dslc codegen`: writes bindings and declarations, or lists those that are stale.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Bindings } from "../exchange/bindings.ts";
import {
  makeBindings,
  manifestText,
  printManifest,
  readManifest,
  type Manifest,
} from "./manifest.ts";
import { CodegenError, readRegistry } from "./registry.ts";
import {
  endpointDeclarations,
  keyDeclarations,
  paramDeclarations,
} from "./registry_declarations.ts";
import { fetchDeclarations, sourceDeclarations, taskDeclarations } from "./task_declarations.ts";

export interface CodegenOptions {
  /** Folder with keys.toml, params.toml and endpoints.toml. */
  readonly registry: string;
  /** Folder to which the generated files are written. */
  readonly out: string;
  /** The stored manifest; replaced by the one of `rankd` if that is given. */
  readonly manifest?: string;
  /** The engine; if given, it prints its manifest. */
  readonly rankd?: string;
  /** Shared objects with more tasks, which the engine loads before it prints. */
  readonly plugins?: readonly string[];
  /** Folder with the declarations that depend on no registry. They are copied, so that `out` works
   * without this package. */
  readonly types?: string;
  /** Write nothing, only compare. */
  readonly check?: boolean;
}

export interface CodegenReport {
  /** Files that were written or, with `check`, that are not up to date. */
  readonly changed: readonly string[];
  readonly bindings: Bindings;
}

/** Files of a generated folder, by name. Throws a CodegenError. */
export function generate(
  registry: string,
  manifest: Manifest,
): { files: Map<string, string>; bindings: Bindings } {
  const bindings = makeBindings(readRegistry(registry), manifest);
  const files = new Map([
    ["bindings.json", bindingsText(bindings)],
    ["keys.d.ts", keyDeclarations(bindings)],
    ["params.d.ts", paramDeclarations(bindings)],
    ["endpoints.d.ts", endpointDeclarations(bindings)],
    ["sources.d.ts", sourceDeclarations(bindings)],
    ["fetches.d.ts", fetchDeclarations(bindings)],
    ["tasks.d.ts", taskDeclarations(bindings)],
  ]);
  return { files, bindings };
}

/** Registry and manifest as data, without docs; one entry per line, so that diffs are readable. */
function bindingsText(bindings: Bindings): string {
  const withoutDoc = (name: string, value: unknown): unknown =>
    name === "doc" ? undefined : value;
  const sections = Object.entries(bindings).map(
    ([section, entries]: [string, readonly unknown[]]) => {
      const lines = entries.map((entry) => `  ${JSON.stringify(entry, withoutDoc)}`);
      return `"${section}": [\n${lines.join(",\n")}\n]`;
    },
  );
  return `{\n${sections.join(",\n")}\n}\n`;
}

export function codegen(options: CodegenOptions): CodegenReport {
  const wanted = new Map<string, string>();
  const manifest = currentManifest(options);
  if (options.manifest !== undefined && options.rankd !== undefined) {
    wanted.set(options.manifest, manifestText(manifest));
  }
  const { files, bindings } = generate(options.registry, manifest);
  for (const [name, text] of files) wanted.set(join(options.out, name), text);
  for (const name of options.types === undefined ? [] : readdirSync(options.types)) {
    if (!name.endsWith(".d.ts")) continue;
    wanted.set(join(options.out, name), readFileSync(join(options.types!, name), "utf8"));
  }
  const changed = [...wanted]
    .filter(([path, text]) => contentOf(path) !== text)
    .map(([path]) => path);
  if (!options.check) {
    for (const path of changed) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, wanted.get(path)!);
    }
  }
  return { changed, bindings };
}

function currentManifest({ manifest, rankd, plugins }: CodegenOptions): Manifest {
  if (rankd !== undefined) return printManifest(rankd, plugins ?? []);
  if (manifest !== undefined) return readManifest(manifest);
  throw new CodegenError(["There is no task manifest: name a manifest file or an engine"]);
}

function contentOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
