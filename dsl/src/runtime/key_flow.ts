// Which keys the rows of a node have: those that its task adds and those of its inputs. The same
// rule as in the types that `src/codegen/task_declarations.ts` writes, and as in the engine.
import { isStored, type TaskBinding } from "../exchange/bindings.ts";
import type { DraftNode, DraftValue } from "../exchange/draft.ts";
import type { Expression } from "../exchange/expression.ts";
import type { Site } from "../exchange/site.ts";
import type { Build } from "./build.ts";
import { bindings, keys } from "./registry.ts";

export type Columns = ReadonlySet<string>;
type Params = Readonly<Record<string, DraftValue>>;

const stored = bindings.keys.filter(isStored);
const tasks = new Map(bindings.tasks.map((task) => [task.op, task]));

/** Columns of a node whose inputs, positional ones first, have the columns `inputs`. `right` are
 * those of the other side of a join. */
export function columnsOf(
  task: TaskBinding,
  inputs: readonly Columns[],
  params: Params,
  right: Columns | undefined,
): Columns {
  const columns = new Set<string>();
  const flowing = { first_input: inputs.slice(0, 1), join: inputs.slice(0, 1), union: inputs };
  for (const input of flowing[task.columns as keyof typeof flowing] ?? []) {
    for (const key of input) columns.add(key);
  }
  if (task.columns === "fan_out") columns.add("parent_id");
  if (task.join !== undefined && right !== undefined) addJoined(columns, task, params, right);
  for (const key of ["id", ...task.writes]) columns.add(key);
  for (const { name, type, read_from } of task.params) {
    if (type === "out_key") for (const key of keyNames(params[name])) columns.add(key);
    if (type === "key_map" && read_from === undefined) {
      for (const key of takenNames(params[name]) ?? []) columns.add(key);
    }
    if (type === "key_list" && task.columns === "groups") {
      for (const key of keyNames(params[name])) columns.add(key);
    }
  }
  if (task.writes_on_demand) {
    const listed = keyNames(params[task.keys_param]);
    for (const key of listed.length > 0 ? listed : suppliedKeys(task, params)) columns.add(key);
  }
  // Most tasks add no key; their nodes share one set, or large plans would need much memory.
  const [first] = inputs;
  const same = first !== undefined && first.size === columns.size && [...columns].every((key) => first.has(key));
  return same ? first : columns;
}

/** Adds what a join takes from its right side. Without `columns`, a key that both sides have is
 * ambiguous: the rows do not have it, so that reading it is an error. */
function addJoined(columns: Set<string>, task: TaskBinding, params: Params, right: Columns): void {
  const join = task.join!;
  const kind = jsonOf(params[join.kind]) ?? task.params.find(({ name }) => name === join.kind)?.default;
  if (join.kinds_without_columns.includes(String(kind))) return;
  const taken = takenNames(params[join.columns]);
  if (taken !== undefined) {
    for (const key of taken) columns.add(key);
    return;
  }
  const given = params[join.rhs_by] ?? params[join.by];
  const matched = new Set(given === undefined ? ["id"] : keyNames(given));
  for (const key of right) {
    if (key === "id" || matched.has(key)) continue;
    if (!columns.delete(key)) columns.add(key);
  }
}

/** The prefix of the hashes that a task fetches keys from, as `user` of `user:{user_id}`. */
export function hashPrefix(task: TaskBinding, params: Params): string | undefined {
  const param = task.params.find(({ name }) => name === task.prefix_param);
  const text = jsonOf(params[param?.name ?? ""]) ?? param?.default;
  if (typeof text !== "string") return undefined;
  return text.replace(/\{.*$/s, "").replace(/:$/, "");
}

/** Whether hashes with this prefix may have the key. */
export function belongsTo(key: string, prefix: string | undefined): boolean {
  const owners = keys.get(key)?.of;
  return prefix === undefined || owners === undefined || owners.includes(prefix);
}

function suppliedKeys(task: TaskBinding, params: Params): string[] {
  const prefix = hashPrefix(task, params);
  return stored.map(({ name }) => name).filter((name) => belongsTo(name, prefix));
}

function jsonOf(value: DraftValue | undefined): unknown {
  return value !== undefined && "json" in value ? value.json : undefined;
}

function keyNames(value: DraftValue | undefined): readonly string[] {
  const json = jsonOf(value);
  if (typeof json === "string") return [json];
  return Array.isArray(json) ? (json as string[]) : [];
}

/** The names that columns get from a param of type `key_map`. */
function takenNames(value: DraftValue | undefined): readonly string[] | undefined {
  const json = jsonOf(value);
  if (json === undefined) return undefined;
  return typeof json === "object" && !Array.isArray(json) ? Object.keys(json as object) : keyNames(value);
}

/** The nearest node, `index` or before it, whose rows lack a key that an input of it has. */
export function findLoss(build: Build, index: number, key: string): DraftNode | undefined {
  const open = [index];
  const seen = new Set<number>();
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const node = build.nodes[at]!;
    const inputs = [...node.inputs, ...Object.values(node.params).map((value) => "node" in value ? value.node : undefined)];
    for (const input of inputs) {
      if (typeof input !== "number") continue;
      if (build.columns[input]!.has(key)) return node;
      open.push(input);
    }
  }
  return undefined;
}

/** Explains why rows lack a key, as the engine does, and names the ways out. */
export function explainMissing(
  key: string,
  loss: DraftNode | undefined,
): { message: string; hint: string } {
  const task = loss === undefined ? undefined : tasks.get(loss.op);
  const at = loss?.id === undefined ? `\`${task?.method}\`` : `'${loss.id}' (${task?.method})`;
  if (task?.columns === "fan_out") {
    return {
      message: `The key was lost at ${at}, whose rows are other entities than those before it: ${key}`,
      hint: `fetch it for these rows with \`hydrate\`, or take the value of the row before along with \`carry: [Key.${key}]\``,
    };
  }
  if (task?.columns === "groups") {
    return {
      message: `The key was lost at ${at}, whose rows stand for several before it: ${key}`,
      hint: `group by it, take that of the first row along with \`first: [Key.${key}]\`, or fetch it with \`hydrate\``,
    };
  }
  if (task?.join !== undefined) {
    return {
      message: `The key was lost at ${at}, which does not take it from its right side, or finds it on both: ${key}`,
      hint: "say in `columns` what is taken from the right side; semi and anti joins take nothing",
    };
  }
  return {
    message: `Nothing before this node writes the key: ${key}`,
    hint: keys.get(key)?.allow_write
      ? "write it with `vm`, or name it in `keys` of `hydrate` if it is stored"
      : "fetch it with `hydrate`",
  };
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
