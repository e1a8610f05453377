/** What registry/*.toml and the task manifest say, as `dslc codegen` writes it to bindings.json and
 * as the sandbox gets it in `__mr_bindings`. Lists are sorted by name. */
export interface Bindings {
  readonly keys: readonly RegistryEntry[];
  readonly params: readonly RegistryEntry[];
  readonly endpoints: readonly EndpointBinding[];
  readonly tasks: readonly TaskBinding[];
}

export type ValueType = "int" | "float" | "bool" | "string";
export type Lifecycle = "active" | "deprecated" | "blocked";

export interface RegistryEntry {
  readonly name: string;
  readonly type: ValueType;
  readonly nullable: boolean;
  readonly allow_write: boolean;
  readonly lifecycle: Lifecycle;
  readonly replaced_by?: string;
  /** Left out of bindings.json; only declarations have docs. */
  readonly doc?: string;
}

export interface EndpointBinding {
  readonly name: string;
  /** `redis` for every store, embedded ones included; `http`. What `EP.kind.name` says. */
  readonly kind: string;
  readonly lifecycle: Lifecycle;
  readonly replaced_by?: string;
  readonly doc?: string;
}

export interface TaskBinding {
  /** Name in the artifact, and the method's name in TypeScript. */
  readonly op: string;
  readonly method: string;
  /** Other names of the method. */
  readonly aliases: readonly string[];
  readonly inputs_min: number;
  readonly inputs_max: number;
  readonly params: readonly ParamBinding[];
  /** Which columns the rows have: `source`, `first_input`, `union` or `fan_out`. */
  readonly columns: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Fetches keys that something downstream reads; `keys_param` limits and names them. */
  readonly writes_on_demand: boolean;
  readonly keys_param: string;
  readonly doc?: string;
}

export interface ParamBinding {
  /** Name in the artifact (`out_key`) and in TypeScript (`outKey`). */
  readonly name: string;
  readonly property: string;
  /** As in the manifest: int, float, bool, string, choice, key, key_list, out_key, expr, predicate,
   * endpoint, node, order, … */
  readonly type: string;
  readonly required: boolean;
  readonly default?: unknown;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly doc?: string;
}

/** Given by the engine; no task supplies them on demand. */
const BUILT_IN_KEYS: readonly string[] = ["id", "parent_id", "source"];

/** Whether a task that fetches on demand supplies a key without being told. What plans may write is
 * theirs to write: such a key comes from a node upstream, or is named in the task's `keys`. */
export function isStored(key: RegistryEntry): boolean {
  return !key.allow_write && key.lifecycle !== "blocked" && !BUILT_IN_KEYS.includes(key.name);
}

/** Fields that every request has, besides registered params and keys. */
export const REQUEST_FIELDS: Readonly<Record<string, ValueType>> = {
  user_id: "int", request_id: "string", limit: "int", seed: "int", deadline_ms: "int",
};

/** Properties of a builder's argument that are said of the node, not of its task. */
export const NODE_OPTIONS: readonly string[] = [
  "id", "inputs", "timeoutMs", "onFailure", "onRowError", "priority", "scheduling", "trace",
];
