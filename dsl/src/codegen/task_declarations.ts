// Declarations of tasks: a method of `Rows`, of `Sources` for a task without inputs, and of both for
// one whose input may be left out. Key flow
// is typed here: the keys that a task reads must be among the columns `C`; the columns of its
// result are computed from the manifest by the same rule as in src/runtime/key_flow.ts.
import {
  asSource,
  isSource,
  type Bindings,
  type ParamBinding,
  type TaskBinding,
} from "../exchange/bindings.ts";
import { docComment, generated, union } from "./source_text.ts";

/** Type parameters that the params of a task need. */
interface Generics {
  readonly parameters: string[];
  readonly columns: string[];
}

function hasInputs(task: TaskBinding): boolean {
  return task.inputs_max > 0;
}

function typeOf(task: TaskBinding, param: ParamBinding): string {
  const keys = hasInputs(task) ? "C" : '"id"';
  switch (param.type) {
    case "bool":
      return "boolean";
    case "int":
    case "float":
      return "number";
    case "int_list":
    case "float_list":
      return "readonly number[]";
    case "string_list":
      return "readonly string[]";
    case "choice":
      if (param.name === task.join?.kind) return "J";
      return (param.choices ?? []).map((choice) => JSON.stringify(choice)).join(" | ");
    case "key":
      return `KeyRef<${keys}${keyTypes(param)}>`;
    case "key_list":
      if (param.name === task.keys_param) return "KeyList<K>";
      if (task.columns === "groups") return `KeyList<B${keyTypes(param)}>`;
      return `KeyList<${param.read_from === undefined ? keys : "ColumnsOf<R>"}${keyTypes(param)}>`;
    case "key_map":
      return mapName(task, param);
    case "out_key":
      return "KeyRef<K, T>";
    case "order":
      return `OrderParam<${keys}>`;
    case "expr":
      return `ExprParam<${keys}, ${task.params.some(isOutKey) ? "ValueTypes[NoInfer<T>]" : "Value"}>`;
    case "predicate":
      return `ExprParam<${keys}, boolean>`;
    case "endpoint":
      return "Endpoint";
    case "key_pattern":
      return `KeyPattern<P, ${hasInputs(task) ? "C" : "RequestName"}>`;
    case "node":
      return "R";
    default:
      return "string";
  }
}

/** The type parameter of a `key_map`: `Y`, and `Y1`, `Y2`, … for further ones of the task. */
function mapName(task: TaskBinding, param: ParamBinding): string {
  const index = task.params.filter(({ type }) => type === "key_map").indexOf(param);
  return index === 0 ? "Y" : `Y${index}`;
}

/** The types of keys that a param takes, as the second argument of `KeyRef`. */
function keyTypes(param: ParamBinding): string {
  const types = param.key_types ?? [];
  return types.length === 0 ? "" : `, ${types.map((type) => JSON.stringify(type)).join(" | ")}`;
}

/** TypeScript requires both a key to write and the expression for it, even where the engine accepts
 * a node with neither, because such a node would do nothing. */
function isNeeded(task: TaskBinding, param: ParamBinding): boolean {
  const isPair = param.type === "out_key" || param.type === "expr";
  return param.required || (isPair && task.params.some(({ type }) => type === "expr"));
}

const isOutKey = (param: ParamBinding): boolean => param.type === "out_key";

function genericsOf(task: TaskBinding): Generics {
  const parameters: string[] = [];
  const columns: string[] = [];
  if (["source", "fan_out", "groups"].includes(task.columns)) columns.push('"id"');
  else columns.push("C");
  if (task.columns === "fan_out") columns.push('"parent_id"');
  if (task.params.some(({ type }) => type === "key_pattern")) {
    parameters.push("const P extends string = string");
  }
  columns.push(...task.writes.map((name) => JSON.stringify(name)));
  if (task.params.some(isOutKey)) {
    const types = keyTypes(task.params.find(isOutKey)!).slice(2) || "TypeName";
    parameters.push("K extends WritableName = never", `T extends ${types} = ${types}`);
    columns.push("K");
  }
  if (task.writes_on_demand && task.keys_param !== "") {
    parameters.push("K extends KeyName = StoredName");
    columns.push("K");
  } else if (task.writes_on_demand) {
    columns.push("StoredName");
  }
  const takesAll = task.columns === "union";
  if (task.params.some((param) => param.type === "node")) {
    parameters.push("R extends AnyRows = never");
    if (takesAll) columns.push("ColumnsOf<R>");
  }
  if (task.columns === "groups") {
    parameters.push("B extends C");
    columns.push("B");
  }
  for (const map of task.params.filter((param) => param.type === "key_map")) {
    const from = map.read_from === undefined ? "C" : "ColumnsOf<R>";
    const name = mapName(task, map);
    const type = map.is_computed === true ? "ComputedKeys" : "KeyMap";
    parameters.push(`const ${name} extends ${type}<${from}${keyTypes(map)}> = never`);
    if (task.join === undefined) columns.push(`TakenNames<${name}>`);
  }
  if (task.join !== undefined) {
    const kind = task.params.find((param) => param.name === task.join!.kind)!;
    const words = (list: readonly string[]): string =>
      list.map((word) => JSON.stringify(word)).join(" | ") || "never";
    parameters.push(
      `const J extends ${words(kind.choices ?? [])} = ${JSON.stringify(kind.default)}`,
    );
    columns.push(`JoinedNames<J, ${words(task.join.kinds_without_columns)}, R, Y>`);
  }
  if (task.inputs_max > 1) {
    parameters.push("I extends readonly AnyRows[] = []");
    if (takesAll) columns.push("ColumnsOf<I>");
  }
  return { parameters, columns: [...new Set(columns)] };
}

function facts(param: ParamBinding): string[] {
  const lines = param.doc ? [`${param.doc}.`] : [];
  const { minimum, maximum } = param;
  if (minimum !== undefined && maximum !== undefined) lines.push(`From ${minimum} to ${maximum}.`);
  else if (minimum !== undefined) lines.push(`At least ${minimum}.`);
  else if (maximum !== undefined) lines.push(`At most ${maximum}.`);
  const text = JSON.stringify(param.default ?? null);
  // That nothing is taken by default goes without saying.
  if (text !== "null" && text !== "{}") lines.push(`@defaultValue \`${text}\``);
  return lines;
}

function paramsInterface(task: TaskBinding): string {
  const members = task.params.map(
    (param) =>
      `${docComment(facts(param), "      ")}      readonly ${param.property}${isNeeded(task, param) ? "" : "?"}: ${typeOf(task, param)};\n`,
  );
  if (task.inputs_max > 1) {
    members.push(
      docComment(
        [`More inputs, after the rows themselves: at most ${task.inputs_max - 1}.`],
        "      ",
      ),
    );
    members.push("      readonly inputs?: I;\n");
  }
  return members.join("");
}

function method(task: TaskBinding, name: string): string {
  const { parameters, columns } = genericsOf(task);
  const generics = parameters.length > 0 ? `<${parameters.join(", ")}>` : "";
  const mayBeLeftOut = task.params.every((param) => !isNeeded(task, param));
  const doc = name === task.method ? task.doc : `The same as \`${task.method}\`.`;
  return `${docComment(doc ? [doc] : [], "    ")}    ${name}${generics}(params${mayBeLeftOut ? "?" : ""}: NodeOptions & {
${paramsInterface(task)}    }): Rows<${columns.join(" | ")}>;
`;
}

function methods(tasks: readonly TaskBinding[]): string {
  return tasks
    .flatMap((task) => [task.method, ...task.aliases].map((name) => method(task, name)))
    .join("\n");
}

/** Tasks with which plans begin. */
export function sourceDeclarations({ tasks }: Bindings): string {
  return `${generated("the task manifest of rankd")}
declare namespace Millrace {
  interface Sources {
${methods(tasks.filter(isSource).map(asSource))}  }
}
`;
}

const isFetch = (task: TaskBinding): boolean =>
  task.params.some(({ type }) => type === "endpoint");

/** Tasks with inputs that ask an endpoint. */
export function fetchDeclarations({ tasks }: Bindings): string {
  return `${generated("the task manifest of rankd")}
declare namespace Millrace {
  interface Rows<C extends string> {
${methods(tasks.filter((task) => hasInputs(task) && isFetch(task)))}  }
}
`;
}

/** The names of all tasks, and those with inputs that ask no endpoint. */
export function taskDeclarations({ tasks }: Bindings): string {
  const names = tasks.map((task) => task.op);
  return `${generated("the task manifest of rankd")}
declare namespace Millrace {
  /** Ops of all tasks. */
  type Op =${union(names, "  ")};

  interface Rows<C extends string> {
${methods(tasks.filter((task) => hasInputs(task) && !isFetch(task)))}  }
}
`;
}
