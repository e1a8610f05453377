// What exists: keys, params, endpoints and tasks, as data. The sandbox gets it before the program
// starts; `src/codegen` makes it from the registry and the task manifest.

export type ValueType = "int" | "float" | "bool" | "string";

export interface KeyInfo {
  readonly name: string;
  readonly type: ValueType;
  readonly nullable: boolean;
  readonly allow_write: boolean;
  readonly lifecycle: "active" | "deprecated" | "blocked";
  readonly replaced_by?: string;
  readonly doc: string;
}

export interface ParamInfo extends KeyInfo {
  readonly default?: number | string | boolean;
}

export interface EndpointInfo {
  readonly name: string;
  /** `redis` for stores, embedded ones included; `http`. */
  readonly group: "redis" | "http";
  readonly lifecycle: "active" | "deprecated" | "blocked";
  readonly replaced_by?: string;
  readonly doc: string;
}

export type TaskParamType =
  | "bool" | "int" | "float" | "string" | "choice" | "int_list" | "float_list" | "string_list"
  | "key" | "key_list" | "out_key" | "order" | "expr" | "predicate" | "endpoint" | "key_pattern"
  | "node";

export interface TaskParam {
  readonly name: string;
  readonly type: TaskParamType;
  readonly required: boolean;
  readonly default: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
  readonly doc: string;
}

export interface TaskInfo {
  readonly op: string;
  readonly aliases: readonly string[];
  readonly doc: string;
  readonly kind: "async" | "cpu" | "cheap";
  readonly inputs_min: number;
  readonly inputs_max: number;
  readonly params: readonly TaskParam[];
  readonly output: { readonly columns: "source" | "first_input" | "union" | "fan_out"; readonly rows: string };
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly writes_on_demand: boolean;
  readonly keys_param: string;
}

export interface Catalog {
  readonly keys: readonly KeyInfo[];
  readonly params: readonly ParamInfo[];
  readonly endpoints: readonly EndpointInfo[];
  readonly tasks: readonly TaskInfo[];
}

/** Given by the engine; no task supplies them on demand. */
const BUILT_IN_KEYS = new Set(["id", "parent_id", "source"]);

/**
 * Whether a task that fetches on demand supplies a key without being told. What plans may write is
 * theirs to write: such a key must come from a node upstream, or be named in the task's `keys`.
 */
export function is_stored(key: KeyInfo): boolean {
  return !key.allow_write && key.lifecycle !== "blocked" && !BUILT_IN_KEYS.has(key.name);
}

/** `out_key` as TypeScript writes it: `outKey`. */
export function camel_case(name: string): string {
  return name.replace(/_+([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}
