// Reads registry/*.toml. The engine checks these files completely when it loads them; here only the
// parts that the bindings depend on are checked, and every problem is reported.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, TomlError } from "smol-toml";
import type { EndpointBinding, Lifecycle, RegistryEntry, ValueType } from "../exchange/bindings.ts";

export interface Registry {
  readonly keys: readonly RegistryEntry[];
  readonly params: readonly RegistryEntry[];
  readonly endpoints: readonly EndpointBinding[];
}

export class CodegenError extends Error {
  override readonly name = "CodegenError";
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

type Table = { readonly [name: string]: unknown };
const NAME = /^[a-z][a-z0-9_]{0,63}$/;
const TYPES: readonly string[] = ["int", "float", "bool", "string"];
const KINDS: readonly string[] = ["redis", "embedded", "http", "graph"];
const LIFECYCLES: readonly string[] = ["active", "deprecated", "blocked"];
const BUILT_IN: readonly RegistryEntry[] = [
  entry("id", "int", false, "Identity of a row."),
  entry("parent_id", "int", true, "Identity of the row that a fan-out started from."),
  entry("source", "string", true, "Which input of a concat a row came from."),
];

function entry(name: string, type: ValueType, nullable: boolean, doc: string): RegistryEntry {
  return { name, type, nullable, allow_write: false, lifecycle: "active", doc };
}

/** Reads keys.toml, params.toml and endpoints.toml of a folder; throws a CodegenError with all
 * problems. */
export function readRegistry(folder: string): Registry {
  const problems: string[] = [];
  const keys = readFields(folder, "keys", problems);
  const params = readFields(folder, "params", problems);
  const endpoints = readEndpoints(folder, problems);
  if (problems.length > 0) throw new CodegenError(problems);
  const missing = BUILT_IN.filter(({ name }) => !keys.some((key) => key.name === name));
  return {
    keys: sorted([...keys, ...missing]),
    params: sorted(params),
    endpoints: sorted(endpoints),
  };
}

function sorted<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  return [...entries].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function readToml(path: string, problems: string[]): Table {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (error) {
    const place = error instanceof TomlError ? `:${error.line}:${error.column}` : "";
    problems.push(`${path}${place}: ${(error as Error).message.split("\n")[0]}`);
    return {};
  }
}

function tablesOf(value: unknown, path: string, problems: string[]): [string, Table][] {
  const found: [string, Table][] = [];
  if (value === undefined) return found;
  if (!isTable(value)) {
    problems.push(`${path}: not a table`);
    return found;
  }
  for (const [name, table] of Object.entries(value)) {
    if (!NAME.test(name)) problems.push(`${path}.${name}: not a name`);
    if (isTable(table)) found.push([name, table]);
    else problems.push(`${path}.${name}: not a table`);
  }
  return found;
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readFields(folder: string, section: string, problems: string[]): RegistryEntry[] {
  const file = join(folder, `${section}.toml`);
  const tables = tablesOf(readToml(file, problems)[section], `${file}: ${section}`, problems);
  return tables.map(([name, table]) => {
    const path = `${file}: ${section}.${name}`;
    return {
      name,
      type: word(table, "type", TYPES, path, problems, undefined) as ValueType,
      nullable: flag(table, "nullable", true, path, problems),
      allow_write: flag(table, "allow_write", true, path, problems),
      lifecycle: word(table, "lifecycle", LIFECYCLES, path, problems, "active") as Lifecycle,
      ...optional("replaced_by", table.replaced_by),
      ...(section === "keys" && Array.isArray(table.of) && { of: table.of.map(String) }),
      ...optional("doc", table.doc),
    };
  });
}

function readEndpoints(folder: string, problems: string[]): EndpointBinding[] {
  const file = join(folder, "endpoints.toml");
  const found = new Map<string, EndpointBinding>();
  for (const [environment, value] of Object.entries(readToml(file, problems))) {
    for (const [name, table] of tablesOf(value, `${file}: ${environment}`, problems)) {
      const path = `${file}: ${environment}.${name}`;
      const given = word(table, "kind", KINDS, path, problems, undefined);
      // Every store is `EP.redis`: embedded data and the tables of a graph are read as Redis is.
      const kind = given === "http" ? "http" : "redis";
      const known = found.get(name);
      if (known !== undefined && known.kind !== kind) {
        problems.push(`${path}: a store in one environment, a server in another`);
      }
      const doc = known?.doc ?? table.doc;
      found.set(name, {
        name,
        kind,
        lifecycle: word(table, "lifecycle", LIFECYCLES, path, problems, "active") as Lifecycle,
        ...optional("replaced_by", table.replaced_by),
        ...optional("doc", doc),
      });
    }
  }
  return [...found.values()];
}

function optional<N extends string>(name: N, value: unknown): { [K in N]?: string } {
  return typeof value === "string" ? ({ [name]: value } as { [K in N]: string }) : {};
}

function flag(
  table: Table,
  name: string,
  otherwise: boolean,
  path: string,
  problems: string[],
): boolean {
  const value = table[name];
  if (value === undefined) return otherwise;
  if (typeof value === "boolean") return value;
  problems.push(`${path}.${name}: not a bool`);
  return otherwise;
}

function word(
  table: Table,
  name: string,
  words: readonly string[],
  ...[path, problems, otherwise]: [path: string, problems: string[], otherwise: string | undefined]
): string {
  const value = table[name] ?? otherwise;
  if (typeof value === "string" && words.includes(value)) return value;
  problems.push(`${path}.${name}: not one of ${words.join(", ")}`);
  return words[0]!;
}
