// Which keys the rows of a node have: those that its task adds and those of its inputs. The same
// rule as in the types that `src/codegen/task_declarations.ts` writes. The engine's rule differs
// only in that it also fetches keys that plans may write (`isStored`).
import { isStored, type TaskBinding } from "../exchange/bindings.ts";
import type { DraftValue } from "../exchange/draft.ts";
import type { Expression } from "../exchange/expression.ts";
import type { Site } from "../exchange/site.ts";
import { bindings } from "./registry.ts";

export type Columns = ReadonlySet<string>;

const stored = bindings.keys.filter(isStored).map((key) => key.name);

/** Columns of a node whose inputs, positional ones first, have the columns `inputs`. */
export function columnsOf(
  task: TaskBinding,
  inputs: readonly Columns[],
  params: Readonly<Record<string, DraftValue>>,
): Columns {
  const columns = new Set<string>(["id", ...task.writes]);
  const flowing =
    task.columns === "source" ? [] : task.columns === "union" ? inputs : inputs.slice(0, 1);
  for (const input of flowing) for (const key of input) columns.add(key);
  if (task.columns === "fan_out") columns.add("parent_id");
  for (const { name, type } of task.params) {
    if (type === "out_key") for (const key of keyNames(params[name])) columns.add(key);
  }
  if (task.writes_on_demand) {
    const listed = keyNames(params[task.keys_param]);
    for (const key of listed.length > 0 ? listed : stored) columns.add(key);
  }
  return columns;
}

function keyNames(value: DraftValue | undefined): readonly string[] {
  if (value === undefined || !("json" in value)) return [];
  if (typeof value.json === "string") return [value.json];
  return Array.isArray(value.json) ? (value.json as string[]) : [];
}

/** Every key that an expression reads, with its place. */
export function keysRead(expression: Expression): { name: string; site: Site }[] {
  switch (expression.kind) {
    case "key":
      return [expression];
    case "binary":
      return [...keysRead(expression.left), ...keysRead(expression.right)];
    case "in":
      return [expression.operand, ...expression.items].flatMap(keysRead);
    case "call":
      return expression.operands.flatMap(keysRead);
    case "not":
    case "negate":
    case "match":
    case "is_null":
      return keysRead(expression.operand);
    default:
      return [];
  }
}
