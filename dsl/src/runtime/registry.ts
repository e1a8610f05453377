// All keys, params, endpoints and tasks, given to the sandbox as `__mr_bindings`.
import type { Bindings, EndpointBinding, RegistryEntry } from "../exchange/bindings.ts";
import { REQUEST_FIELDS } from "../exchange/bindings.ts";

const given = (globalThis as { __mr_bindings?: Bindings }).__mr_bindings;
export const bindings: Bindings = given ?? { keys: [], params: [], endpoints: [], tasks: [] };

function byName<T extends { readonly name: string }>(
  entries: readonly T[],
): ReadonlyMap<string, T> {
  return new Map(entries.map((entry) => [entry.name, entry]));
}

export const keys: ReadonlyMap<string, RegistryEntry> = byName(bindings.keys);
export const params: ReadonlyMap<string, RegistryEntry> = byName(bindings.params);
export const endpoints: ReadonlyMap<string, EndpointBinding> = byName(bindings.endpoints);
export const requestFields: ReadonlySet<string> = new Set([
  ...Object.keys(REQUEST_FIELDS),
  ...params.keys(),
  ...keys.keys(),
]);
