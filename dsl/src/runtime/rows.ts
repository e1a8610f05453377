// The chained builder. Rows never change: each method makes one node and returns its rows.
import {
  asSource,
  isSource,
  NODE_OPTIONS,
  type ParamBinding,
  type TaskBinding,
} from "../exchange/bindings.ts";
import {
  NODE,
  NODE_COUNT_MAX,
  type DraftInput,
  type DraftNode,
  type DraftValue,
} from "../exchange/draft.ts";
import type { Site } from "../exchange/site.ts";
import { didYouMean } from "../extract/names.ts";
import { callSite, PlanError, propertySites } from "../hooks/call_site.ts";
import { currentBuild, report } from "./build.ts";
import { columnsOf, type Columns } from "./key_flow.ts";
import { readOptions } from "./node_options.ts";
import { kindOf, nodeOf, plain, readParam } from "./param_values.ts";
import { bindings, keys, requestFields } from "./registry.ts";

type Given = Readonly<Record<string, unknown>>;
/** Place of a property of a builder's argument; for any other name, that of the call. */
type SiteOf = (name: string) => Site;

/** Rows of the request or constant ids of the plan: an input that is not a node. */
interface Outside {
  readonly input: DraftInput;
  readonly columns: Columns;
}

/** The rows that a node gives. Its methods are the tasks. */
export class RowsValue {
  readonly [NODE]: DraftNode | undefined;
  readonly #outside: Outside | undefined;

  constructor(from: DraftNode | Outside) {
    const isNode = "op" in from;
    this[NODE] = isNode ? from : undefined;
    this.#outside = isNode ? undefined : from;
    Object.freeze(this);
  }

  static inputOf(rows: RowsValue): { input: DraftInput; columns: Columns } {
    const node = rows[NODE];
    if (node === undefined) return rows.#outside!;
    return { input: node.index, columns: currentBuild("A node is used").columns[node.index]! };
  }
}

function argumentOf(given: unknown, task: TaskBinding, site: Site): Given {
  if (given === undefined) return {};
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  if (isObject && Object.getPrototypeOf(given) === Object.prototype) return given as Given;
  throw new PlanError(
    "wrong_type",
    `${task.method} takes one object, found ${kindOf(given)}`,
    site,
  );
}

function checkNames(given: Given, task: TaskBinding, siteOf: SiteOf): void {
  const known = new Set(task.params.map((param) => param.property));
  for (const name of NODE_OPTIONS) if (name !== "inputs" || task.inputs_max > 1) known.add(name);
  for (const name of Object.keys(given)) {
    if (known.has(name)) continue;
    report(
      "unknown_param",
      `Unknown param of ${task.method}: ${name}`,
      siteOf(name),
      didYouMean(name, known) ?? paramsHint(task),
    );
  }
}

function paramsHint(task: TaskBinding): string {
  const names = task.params.map((param) => `\`${param.property}\``);
  return names.length === 0 ? `${task.method} has no params` : `${task.method} has ${names.join(", ")}`;
}

type Input = { readonly input: DraftInput; readonly columns: Columns };

/** The rows of a node param; undefined if it is missing or wrong, which is reported elsewhere. */
function nodeInput(task: TaskBinding, given: Given, name: string): Input | undefined {
  const property = task.params.find((param) => param.name === name)?.property ?? name;
  const node = nodeOf(given[property]);
  if (node === undefined) return undefined;
  return { input: node.index, columns: currentBuild("A node is used").columns[node.index]! };
}

function readParams(
  given: Given,
  task: TaskBinding,
  siteOf: SiteOf,
  first: Input | undefined,
): DraftNode["params"] {
  const params: Record<string, DraftValue> = {};
  // A key to write and the expression for it must be given together or not at all.
  const isPair = ({ type }: ParamBinding): boolean => type === "out_key" || type === "expr";
  const hasPart = task.params.some(
    (param) => isPair(param) && Object.hasOwn(given, param.property),
  );
  for (const param of task.params) {
    if (!Object.hasOwn(given, param.property)) {
      if (param.required || (hasPart && isPair(param))) {
        report("missing_param", `Missing param of ${task.method}: ${param.property}`, siteOf(""));
      }
      continue;
    }
    const read = param.read_from === undefined ? first : nodeInput(task, given, param.read_from);
    const value = readParam(param, given[param.property], {
      task,
      site: siteOf(param.property),
      input: read?.columns,
      inputNode: typeof read?.input === "number" ? read.input : undefined,
      params,
    });
    if (value !== undefined) params[param.name] = value;
  }
  return params;
}

function moreInputs(given: Given, task: TaskBinding, site: Site): RowsValue[] {
  if (!Object.hasOwn(given, "inputs") || task.inputs_max <= 1) return [];
  const list = given.inputs;
  if (!Array.isArray(list)) {
    report(
      "wrong_type",
      `${task.method}.inputs: expected a list of rows, found ${kindOf(list)}`,
      site,
    );
    return [];
  }
  return Array.from(list).filter((item): item is RowsValue => {
    if (item instanceof RowsValue) return true;
    report("wrong_type", `${task.method}.inputs: expected rows, found ${kindOf(item)}`, site);
    return false;
  });
}

function readId(given: Given, what: string, site: Site): string | undefined {
  if (!Object.hasOwn(given, "id")) return undefined;
  if (typeof given.id === "string" && given.id !== "" && !given.id.startsWith("$")) return given.id;
  report("bad_name", `${what}.id is not a name`, site);
  return undefined;
}

/** Makes the node of a task over `rows`; `given` is the author's argument. */
function makeNode(task: TaskBinding, rows: RowsValue | undefined, given: unknown): RowsValue {
  const site = callSite();
  const siteOf = propertySites();
  const build = currentBuild(`${task.method} is called`);
  const argument = argumentOf(given, task, site);
  checkNames(argument, task, siteOf);
  const positional = [
    ...(rows === undefined ? [] : [rows]),
    ...moreInputs(argument, task, siteOf("inputs")),
  ];
  if (positional.length > task.inputs_max) {
    report(
      "input_count",
      `${task.method} takes at most ${task.inputs_max} inputs, found ${positional.length}`,
      site,
    );
  }
  const inputs = positional.map((input) => RowsValue.inputOf(input));
  const params = readParams(argument, task, siteOf, inputs[0]);
  const id = readId(argument, task.method, siteOf("id"));
  const node: DraftNode = {
    index: build.nodes.length,
    op: task.op,
    ...(id !== undefined && { id }),
    inputs: inputs.map(({ input }) => input),
    params,
    options: readOptions(argument, task.method, siteOf),
    site,
    calls: [...build.calls],
  };
  const fromParams = Object.values(params).flatMap((value) =>
    "node" in value ? [build.columns[value.node]!] : [],
  );
  if (build.nodes.length >= NODE_COUNT_MAX) {
    throw new PlanError("too_large", `The plan has more than ${NODE_COUNT_MAX} nodes`, site);
  }
  // A callback of the author may have made other nodes meanwhile.
  node.index = build.nodes.length;
  build.nodes.push(node);
  const right = task.join === undefined ? undefined : nodeInput(task, argument, task.join.rhs);
  build.columns.push(
    columnsOf(task, [...inputs.map(({ columns }) => columns), ...fromParams], params, right?.columns),
  );
  return new RowsValue(node);
}

/** Rows with these ids in every request. */
function ids(given: unknown): RowsValue {
  const site = callSite();
  const list = Array.isArray(given) ? Array.from(given, plain) : undefined;
  if (list?.every((id) => Number.isSafeInteger(id)) !== true) {
    throw new PlanError("wrong_type", "ids takes a list of whole numbers up to 2^53", site);
  }
  return new RowsValue({ input: { ids: list as number[] }, columns: new Set(["id"]) });
}

/** Rows of a field of the request. */
function request(given: unknown): RowsValue {
  const site = callSite();
  if (typeof given !== "string" || !requestFields.has(given)) {
    throw new PlanError(
      "unknown_request_field",
      `Unknown field of the request: ${String(given)}`,
      site,
      didYouMean(String(given), requestFields),
    );
  }
  return new RowsValue({
    input: { request: given },
    columns: new Set(["id", ...(keys.has(given) ? [given] : [])]),
  });
}

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: false, writable: false });
}

const sources: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
for (const task of bindings.tasks) {
  for (const name of [task.method, ...task.aliases]) {
    if (isSource(task)) {
      const source = asSource(task);
      define(sources, name, (given: unknown) => makeNode(source, undefined, given));
    }
    if (task.inputs_max > 0) {
      define(RowsValue.prototype, name, function method(this: RowsValue, given: unknown) {
        return makeNode(task, this, given);
      });
    }
  }
}
define(sources, "ids", ids);
define(sources, "request", request);

/** What `build` gets: where rows come from. */
export const context: object = Object.freeze(sources);

/** The node of rows that a plan returns. */
export function outputNode(value: unknown): DraftNode | undefined {
  return value instanceof RowsValue ? nodeOf(value) : undefined;
}
