// Checks one param of a task and converts it into its form in the draft. Every function reports
// what is wrong and then gives undefined.
import { BUILT_IN_KEYS, type ParamBinding, type TaskBinding } from "../exchange/bindings.ts";
import { NODE, type DraftNode, type DraftValue } from "../exchange/draft.ts";
import type { Site } from "../exchange/site.ts";
import { expressionOf, toExpression, WrittenNumber } from "../hooks/operators.ts";
import { didYouMean } from "../extract/names.ts";
import { currentBuild, report } from "./build.ts";
import {
  belongsTo,
  explainMissing,
  findLoss,
  hashPrefix,
  keysRead,
  type Columns,
} from "./key_flow.ts";
import { endpoints, keys, requestFields } from "./registry.ts";
import { describe, EndpointValue, Key, keyOf } from "./values.ts";

/** The node that a param belongs to, as far as it is known. */
export interface NodeContext {
  readonly task: TaskBinding;
  readonly site: Site;
  /** Columns of the rows that the param reads; undefined for a task without inputs. */
  readonly input: Columns | undefined;
  /** The node that has these columns, if it is one. */
  readonly inputNode: number | undefined;
  /** Params of the node that have been read before this one. */
  readonly params: Readonly<Record<string, DraftValue>>;
}

export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  const expression = expressionOf(value);
  if (expression !== undefined) return describe(expression);
  if (value instanceof EndpointValue) return "an endpoint";
  if (nodeOf(value) !== undefined) return "rows";
  if (typeof value === "object" && NODE in value) return "rows of the request or of constant ids";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A number as JavaScript has it, even if the compiler kept its written form. */
export function plain(value: unknown): unknown {
  return value instanceof WrittenNumber ? value.value : value;
}

export function nodeOf(value: unknown): DraftNode | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as { [NODE]?: DraftNode })[NODE];
}

/** Reads the value of one param. */
export function readParam(
  param: ParamBinding,
  given: unknown,
  node: NodeContext,
): DraftValue | undefined {
  return new ParamReader(param, node).read(plain(given));
}

class ParamReader {
  readonly #name: string;
  constructor(
    readonly param: ParamBinding,
    readonly node: NodeContext,
  ) {
    this.#name = `${node.task.method}.${param.property}`;
  }

  read(value: unknown): DraftValue | undefined {
    switch (this.param.type) {
      case "bool":
        return typeof value === "boolean" ? this.#json(value) : this.#wrong("a bool", value);
      case "int":
      case "float":
        return this.#number(value) === undefined ? undefined : this.#json(value);
      case "int_list":
      case "float_list":
        return this.#list(value, (item) => this.#number(plain(item)));
      case "string_list":
        return this.#list(value, (item) => this.#text(item));
      case "choice":
        return this.#choice(value);
      case "key":
      case "out_key":
        return this.#key(value);
      case "key_list":
        if (Array.isArray(value) && value.length === 0) {
          return this.#report("bad_value", `${this.#name} has at least one key`, undefined,
            this.param.required ? "name a key" : "leave the param out for its default");
        }
        return Array.isArray(value)
          ? this.#list(value, (item) => this.#keyName(item))
          : this.#key(value);
      case "key_map":
        return this.#keyMap(value);
      case "order":
        return this.#order(value);
      case "expr":
      case "predicate":
        return this.#expression(value);
      case "endpoint":
        return this.#endpoint(value);
      case "key_pattern":
        return this.#pattern(value);
      case "node":
        return this.#node(value);
      default:
        return this.#text(value) === undefined ? undefined : this.#json(value);
    }
  }

  #json(json: unknown, site: Site = this.node.site): DraftValue {
    return { json, site };
  }

  #wrong(expected: string, value: unknown): undefined {
    this.#report(
      value === undefined ? "undefined_value" : "wrong_type",
      `${this.#name}: expected ${expected}, found ${kindOf(value)}`,
      expressionOf(value)?.site,
    );
  }

  #report(code: string, message: string, site?: Site, hint?: string): undefined {
    report(code, message, site || this.node.site, hint);
  }

  #number(value: unknown): number | undefined {
    const isInt = this.param.type.startsWith("int");
    if (typeof value !== "number" || !Number.isFinite(value)) {
      return this.#wrong(isInt ? "an int" : "a number", value);
    }
    if (isInt && !Number.isSafeInteger(value)) {
      return this.#report("wrong_type", `${this.#name}: expected an int, found ${value}`);
    }
    const { minimum, maximum } = this.param;
    if (minimum !== undefined && value < minimum) {
      return this.#report("param_range", `${this.#name} is below ${minimum}: ${value}`);
    }
    if (maximum !== undefined && value > maximum) {
      return this.#report("param_range", `${this.#name} is above ${maximum}: ${value}`);
    }
    return value;
  }

  #text(value: unknown): string | undefined {
    return typeof value === "string" ? value : this.#wrong("a string", value);
  }

  #list(value: unknown, read: (item: unknown) => unknown): DraftValue | undefined {
    if (!Array.isArray(value)) return this.#wrong("a list", value);
    // Array.from also visits the holes of a sparse list.
    const items = Array.from(value, read);
    return items.includes(undefined) ? undefined : this.#json(items);
  }

  #choice(value: unknown): DraftValue | undefined {
    if (typeof value !== "string") return this.#wrong("a string", value);
    const choices = this.param.choices ?? [];
    if (choices.includes(value)) return this.#json(value);
    return this.#report(
      "bad_value",
      `Unknown ${this.#name}: ${value}`,
      undefined,
      `one of ${choices.join(", ")}`,
    );
  }

  #key(value: unknown): DraftValue | undefined {
    const name = this.#keyName(value);
    return name === undefined ? undefined : this.#json(name, keyOf(value)!.site);
  }

  #keyName(value: unknown): string | undefined {
    const key = keyOf(value);
    if (key === undefined) return this.#wrong("a key, as Key.score", value);
    const info = keys.get(key.name);
    // The compiler has already reported the unknown name at its place.
    if (info === undefined) return key.name;
    if (info.lifecycle === "blocked") {
      return this.#report(
        "blocked_key",
        `The key is blocked: ${key.name}`,
        key.site,
        info.replaced_by && `use \`${info.replaced_by}\` instead`,
      );
    }
    if (this.param.type === "out_key" && !info.allow_write) {
      return this.#report(
        "key_not_writable",
        `A plan may not write the key: ${key.name}`,
        key.site,
        writableHint(key.name),
      );
    }
    const types = this.param.key_types ?? [];
    if (types.length > 0 && !types.includes(info.type)) {
      return this.#report(
        "wrong_key_type",
        `${this.#name} takes a key of type ${types.join(" or ")}, and ${key.name} is ${info.type}`,
        key.site,
      );
    }
    if (this.param.type === "out_key") return key.name;
    if (this.param.name === this.node.task.keys_param) return this.#fetched(key.name, key.site);
    this.#checkAvailable(key.name, key.site);
    return key.name;
  }

  /** Checks a key that the task is told to fetch. */
  #fetched(name: string, site: Site): string | undefined {
    if (BUILT_IN_KEYS.includes(name)) {
      return this.#report(
        "key_not_writable",
        `${this.node.task.method} cannot fetch the key, which the engine gives to rows: ${name}`,
        site,
      );
    }
    const prefix = hashPrefix(this.node.task, this.node.params);
    if (belongsTo(name, prefix)) return name;
    return this.#report(
      "key_not_available",
      `Hashes '${prefix}:…' do not have the key: ${name}`,
      site,
      `keys.toml says that it is of ${keys.get(name)!.of!.join(", ")}`,
    );
  }

  /** Columns to take from rows: keys, or new keys with the keys they are taken from. */
  #keyMap(value: unknown): DraftValue | undefined {
    const ownName = (given: unknown): string | undefined => {
      const name = this.#keyName(given);
      return name === undefined || this.#mayHold(name, name) ? name : undefined;
    };
    if (keyOf(value) !== undefined) {
      const name = ownName(value);
      return name === undefined ? undefined : this.#json(name, keyOf(value)!.site);
    }
    if (Array.isArray(value)) return this.#list(value, ownName);
    if (typeof value !== "object" || value === null || nodeOf(value) !== undefined) {
      return this.#wrong("keys, or an object of them", value);
    }
    const moves: Record<string, string> = {};
    for (const [to, given] of Object.entries(value)) {
      const from = this.#keyName(given);
      const info = keys.get(to);
      if (info === undefined) {
        this.#report("unknown_key", `Unknown key: ${to}`, undefined, didYouMean(to, keys.keys()));
      } else if (from !== undefined && this.#mayHold(to, from)) {
        moves[to] = from;
      }
    }
    return this.#json(moves);
  }

  /** Whether the column `to` may hold what is taken or computed from the key `from`. */
  #mayHold(to: string, from: string): boolean {
    const target = keys.get(to);
    const source = keys.get(from);
    // The compiler has already reported the unknown name at its place.
    if (target === undefined || source === undefined) return true;
    const isComputed = this.param.is_computed === true;
    if ((isComputed || to !== from) && !target.allow_write) {
      this.#report("key_not_writable", `A plan may not write the key: ${to}`, undefined, writableHint(to));
      return false;
    }
    const type = this.param.computed_type ?? source.type;
    if (!isComputed || type === target.type) return true;
    this.#report("wrong_key_type", `${this.#name} of ${from} is ${type}, and ${to} is ${target.type}`,
      undefined, `write it to a key of type ${type}`);
    return false;
  }

  #checkAvailable(name: string, site: Site): void {
    if (this.node.input === undefined || this.node.input.has(name)) return;
    const info = keys.get(name);
    if (info === undefined || info.lifecycle === "blocked") return;
    const { inputNode } = this.node;
    const build = currentBuild("A key is read");
    const loss = inputNode === undefined ? undefined : findLoss(build, inputNode, name);
    const { message, hint } = explainMissing(name, loss);
    this.#report("key_not_available", message, site, hint);
  }

  #order(value: unknown): DraftValue | undefined {
    if (!Array.isArray(value)) return this.#key(value);
    if (value.length === 0) return this.#report("bad_value", "An order has at least one key");
    return this.#list(value, (item) => {
      if (keyOf(item) !== undefined || typeof item !== "object" || item === null) {
        return this.#keyName(item);
      }
      const { key, order, ...rest } = item as { key?: unknown; order?: unknown };
      const name = this.#keyName(key);
      for (const extra of Object.keys(rest)) {
        this.#report("unknown_field", `Unknown field: ${extra}`);
      }
      if (order === undefined && !("order" in item)) return name && { key: name };
      if (order === "asc" || order === "desc") return name && { key: name, order };
      return this.#report(
        "bad_value",
        `Unknown order: ${String(order)}`,
        undefined,
        "one of asc, desc",
      );
    });
  }

  #expression(value: unknown): DraftValue | undefined {
    if (value === undefined) return this.#wrong("an expression", value);
    const made = typeof value === "function" ? (value as (row: unknown) => unknown)(Key) : value;
    const expression = toExpression(made, this.node.site);
    for (const { name, site } of keysRead(expression)) this.#checkAvailable(name, site);
    return { expression, site: expression.site || this.node.site };
  }

  #endpoint(value: unknown): DraftValue | undefined {
    if (!(value instanceof EndpointValue)) {
      return this.#wrong("an endpoint, as EP.redis.redis_default", value);
    }
    const info = endpoints.get(value.name)!;
    if (info.lifecycle !== "blocked") return this.#json(value.name);
    return this.#report(
      "blocked_key",
      `The endpoint is blocked: ${value.name}`,
      undefined,
      info.replaced_by && `use \`${info.replaced_by}\` instead`,
    );
  }

  #pattern(value: unknown): DraftValue | undefined {
    if (typeof value !== "string") return this.#wrong("a string", value);
    if (!/^[^{}]*(\{[^{}]+\}[^{}]*)*$/.test(value) || value === "") {
      return this.#report(
        "bad_pattern",
        `Not a key pattern: ${value}`,
        undefined,
        "text with names of keys in braces, as 'follow:{id}', or with none",
      );
    }
    for (const [, name] of value.matchAll(/\{([^{}]+)\}/g)) this.#patternName(name!);
    return this.#json(value);
  }

  #patternName(name: string): void {
    if (this.node.input !== undefined) {
      if (!keys.has(name)) this.#report("unknown_key", `Unknown key: ${name}`);
      else this.#checkAvailable(name, this.node.site);
    } else if (BUILT_IN_KEYS.includes(name)) {
      this.#report(
        "key_not_available",
        `The node has no input to read a key from: ${name}`,
        undefined,
        "without an input, names in a pattern are fields of the request, as 'user_id'",
      );
    } else if (!requestFields.has(name)) {
      this.#report("unknown_request_field", `Unknown field of the request: ${name}`);
    }
  }

  #node(value: unknown): DraftValue | undefined {
    const node = nodeOf(value);
    if (node === undefined) return this.#wrong("rows of a node", value);
    return { node: node.index, site: this.node.site };
  }
}

/** What to do about a key that plans may not write. */
function writableHint(name: string): string {
  if (BUILT_IN_KEYS.includes(name)) return "the engine writes it; choose another key";
  return `write another key, or set \`allow_write = true\` for ${name} in registry/keys.toml and run \`dslc codegen\``;
}
