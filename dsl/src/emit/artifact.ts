import { createHash } from "node:crypto";
import type { DraftInput, DraftNode, DraftPlan } from "../exchange/draft.ts";
import type { Site, Span } from "../exchange/site.ts";
import { printExpression, type PrintedExpression } from "./print_expression.ts";

/** What an artifact says about its sources. */
export interface ArtifactSources {
  readonly file: string;
  readonly digest: string;
  /** Span in `file` of the code that made a node, if it is in that file. */
  spanOf(node: DraftNode): Span | undefined;
}

/** The sources of the parts of an artifact, for problems that the engine finds in it. */
export interface ArtifactOrigin {
  /** By the path that the engine reports, such as `nodes[2].params.pred`. */
  readonly sites: ReadonlyMap<string, Site>;
  readonly expressions: ReadonlyMap<string, PrintedExpression>;
}

/** Marks an artifact as a plan with other versions of fragments than the default ones. */
export interface Variant {
  /** Name of the plan with the default versions. */
  readonly of: string;
  /** The versions that differ. */
  readonly versions: Readonly<Record<string, string>>;
}

/** The suffix that the versions of a variant add to names: `@cut=2,mix=b`. */
export function variantSuffix(versions: Readonly<Record<string, string>>): string {
  return `@${Object.keys(versions).sort().map((name) => `${name}=${versions[name]}`).join(",")}`;
}

export interface Artifact {
  readonly text: string;
  readonly origin: ArtifactOrigin;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Order of a node's fields in the text. */
const OPTION_ORDER = ["timeout_ms", "priority", "on_failure", "on_row_error", "scheduling", "trace"];

/** Writes the artifact of a plan: the same draft and sources give the same bytes. */
export function writeArtifact(plan: DraftPlan, sources: ArtifactSources, variant?: Variant): Artifact {
  const ids = nodeIds(plan.nodes);
  const sites = new Map<string, Site>([["", plan.site]]);
  const expressions = new Map<string, PrintedExpression>();
  const nodes = plan.nodes.map((node, index) => {
    const path = `nodes[${index}]`;
    sites.set(path, node.site);
    const params: Record<string, Json> = {};
    for (const [name, value] of Object.entries(node.params)) {
      const place = `${path}.params.${name}`;
      sites.set(place, value.site);
      if ("expression" in value) {
        const printed = printExpression(value.expression);
        expressions.set(place, printed);
        params[name] = printed.text;
      } else {
        params[name] = "node" in value ? ids[value.node]! : (value.json as Json);
      }
    }
    return { id: ids[index]!, op: node.op, inputs: node.inputs.map((input) => inputText(input, ids)), params,
      ...orderedOptions(node.options, ids) };
  });
  const spans: Record<string, Json> = {};
  plan.nodes.forEach((node, index) => {
    const span = sources.spanOf(node);
    if (span !== undefined) spans[ids[index]!] = [...span];
  });
  const fields: [string, string][] = [
    ["schema_version", "1"],
    ["name", jsonText(variant ? `${variant.of}${variantSuffix(variant.versions)}` : plan.name)],
    ...(plan.version === undefined ? [] : [["version", jsonText(plan.version)] as [string, string]]),
    ...(plan.fragments ? [["fragments", jsonText(fragmentVersions(plan))] as [string, string]] : []),
    ...(variant ? [["variant_of", jsonText(variant.of)] as [string, string]] : []),
    ["nodes", listText(nodes)],
    ["outputs", jsonText(plan.outputs.map((index) => ids[index]!))],
    ...(plan.output_keys ? [["output_keys", jsonText(plan.output_keys)] as [string, string]] : []),
    ...(plan.reserve_ms === undefined ? []
      : [["reserve_ms", jsonText(plan.reserve_ms)] as [string, string]]),
    ["sources", `{\n    "file": ${jsonText(sources.file)},\n    "digest": ${jsonText(sources.digest)},\n` +
      `    "spans": ${jsonText(spans)}\n  }`],
  ];
  const text = `{\n${fields.map(([name, value]) => `  "${name}": ${value}`).join(",\n")}\n}\n`;
  return { text, origin: { sites, expressions } };
}

function fragmentVersions({ fragments = [] }: DraftPlan): Record<string, string> {
  return Object.fromEntries(fragments.map(({ name, version }) => [name, version]).sort());
}

/** Ids of nodes: the one that the author gave, else the variable's name, else the op; numbered from
 * 2 if it is taken. */
export function nodeIds(nodes: readonly DraftNode[]): string[] {
  const taken = new Set(nodes.flatMap((node) => (node.id === undefined ? [] : [node.id])));
  const ids: (string | undefined)[] = nodes.map((node) => node.id);
  /** The number to try next for a name; all smaller ones are taken. */
  const numbers = new Map<string, number>();
  const give = (index: number, wanted: string): void => {
    let id = wanted;
    let number = numbers.get(wanted) ?? 2;
    while (taken.has(id)) id = `${wanted}_${number++}`;
    numbers.set(wanted, number);
    taken.add(id);
    ids[index] = id;
  };
  nodes.forEach((node, index) => {
    // An id must not begin with `$`, but a variable's name may.
    const name = node.name?.replace(/^\$+/, "");
    if (ids[index] === undefined && name) give(index, name);
  });
  nodes.forEach((node, index) => {
    if (ids[index] === undefined) give(index, node.op);
  });
  return ids as string[];
}

/** A slot, a field of the request, or constant ids. */
function inputText(input: DraftInput, ids: readonly string[]): Json {
  if (typeof input === "number") return ids[input]!;
  return "request" in input ? `$req.${input.request}` : input.ids;
}

function orderedOptions(options: Readonly<Record<string, unknown>>, ids: readonly string[]):
    Record<string, Json> {
  const names = [...OPTION_ORDER.filter((name) => name in options),
    ...Object.keys(options).filter((name) => !OPTION_ORDER.includes(name)).sort()];
  return Object.fromEntries(names.map((name) => [name, optionValue(name, options[name], ids)]));
}

function optionValue(name: string, value: unknown, ids: readonly string[]): Json {
  const { use, node } = (value ?? {}) as { use?: unknown; node?: unknown };
  if (name === "on_failure" && use === "node" && typeof node === "number") {
    return { use: "node", id: ids[node] ?? "" };
  }
  return value as Json;
}

function listText(items: readonly Json[]): string {
  if (items.length === 0) return "[]";
  return `[\n${items.map((item) => `    ${jsonText(item)}`).join(",\n")}\n  ]`;
}

/** JSON on one line, with a space after each comma and colon. */
function jsonText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${jsonText(item)}`);
    return `{${members.join(", ")}}`;
  }
  return JSON.stringify(value);
}

/** Digest of a plan's sources: of its file, or of all files when it imports some. */
export function sourcesDigest(files: readonly { id: string; digest: string }[]): string {
  if (files.length === 1) return `sha256:${files[0]!.digest}`;
  const lines = files.map(({ id, digest }) => `${digest}  ${id}\n`).sort();
  return `sha256:${createHash("sha256").update(lines.join("")).digest("hex")}`;
}
