/** The contents of registry/*.toml and of the task manifest, as `dslc codegen` writes them to
 * bindings.json and as the sandbox gets them in `__mr_bindings`. Lists are sorted by name. */
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
  /** Of a key: prefixes of the hashes that have it; left out: any hash may. */
  readonly of?: readonly string[];
  /** Left out of bindings.json; only declarations have docs. */
  readonly doc?: string;
}

export interface EndpointBinding {
  readonly name: string;
  /** `redis` for every store, including embedded ones and graphs; `http`. The kind in `EP.kind.name`. */
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
  /** Which columns the rows have: `source`, `first_input`, `union`, `fan_out`, `join` or `groups`. */
  readonly columns: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Fetches the keys that nodes downstream read; `keys_param` limits and names them. */
  readonly writes_on_demand: boolean;
  readonly keys_param: string;
  /** The param that begins with the prefix of the hashes that keys are fetched from. */
  readonly prefix_param?: string;
  readonly join?: JoinBinding;
  readonly doc?: string;
}

/** Whether plans may begin with a task: it has no inputs, or may be called without. */
export function isSource(task: TaskBinding): boolean {
  return task.inputs_min === 0;
}

/** A task as it is where a plan begins: without an input, nothing can be taken along from one. */
export function asSource(task: TaskBinding): TaskBinding {
  if (task.inputs_max === 0) return task;
  return {
    ...task,
    inputs_max: 0,
    columns: task.columns === "fan_out" ? "source" : task.columns,
    params: task.params.filter(({ type }) => type !== "key_map"),
  };
}

/** How a task matches two inputs; the fields name params. */
export interface JoinBinding {
  readonly rhs: string;
  readonly by: string;
  readonly rhs_by: string;
  readonly columns: string;
  readonly kind: string;
  readonly kinds_without_columns: readonly string[];
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
  /** Types that the key may have; left out: any. */
  readonly key_types?: readonly ValueType[];
  /** Of a `key_map`: the new columns are computed, so they are writable keys, of type
   * `computed_type` or else of the type of the key that each is computed from. */
  readonly is_computed?: boolean;
  readonly computed_type?: ValueType;
  /** The node param whose rows the keys are read from; left out: the first input. */
  readonly read_from?: string;
  readonly doc?: string;
}

/** Provided by the engine; no task fetches them on demand. */
export const BUILT_IN_KEYS: readonly string[] = ["id", "parent_id", "source"];

/** Whether a task that fetches on demand supplies a key without being asked for it. Keys that plans
 * may write are not fetched: such a key comes from a node upstream, or is named in the task's
 * `keys`. */
export function isStored(key: RegistryEntry): boolean {
  return !key.allow_write && key.lifecycle !== "blocked" && !BUILT_IN_KEYS.includes(key.name);
}

/** Fields that every request has, in addition to registered params and keys. */
export const REQUEST_FIELDS: Readonly<Record<string, ValueType>> = {
  user_id: "int", request_id: "string", limit: "int", seed: "int", deadline_ms: "int",
};

/** Properties of a builder's argument that belong to the node, not to its task. */
export const NODE_OPTIONS: readonly string[] = [
  "id", "inputs", "timeoutMs", "onFailure", "onRowError", "priority", "scheduling", "trace",
];
