/** What registry/*.toml and the task manifest say, as `dslc codegen` writes it to bindings.json and
 * as the sandbox gets it in `__mr_bindings`. Lists are sorted by name. */
export interface Bindings {
  readonly keys: readonly RegistryEntry[];
  readonly params: readonly RegistryEntry[];
  readonly endpoints: readonly { readonly name: string; readonly kind: string }[];
  readonly tasks: readonly TaskBinding[];
}

export interface RegistryEntry {
  readonly name: string;
  readonly type: "int" | "float" | "bool" | "string";
  readonly nullable: boolean;
}

export interface TaskBinding {
  /** Name in the artifact, and the method's name in TypeScript. */
  readonly op: string;
  readonly method: string;
  readonly inputs_min: number;
  readonly inputs_max: number;
  readonly params: readonly ParamBinding[];
}

export interface ParamBinding {
  /** Name in the artifact (`out_key`) and in TypeScript (`outKey`). */
  readonly name: string;
  readonly property: string;
  /** As in the manifest: int, float, bool, string, choice, key, key_list, out_key, expr, predicate,
   * endpoint, node, order, … */
  readonly type: string;
  readonly required: boolean;
  readonly choices?: readonly string[];
}
