// Values that represent expressions, and the global tables of names. They are objects: the value of
// a key is known only later, per row, so using one as a number or text now is an error with its
// place.
import { EXPRESSION, type Expression } from "../exchange/expression.ts";
import type { Site } from "../exchange/site.ts";
import { didYouMean } from "../extract/names.ts";
import { callSite, PlanError } from "../hooks/call_site.ts";
import type { ReferenceTable } from "../hooks/install.ts";
import { expressionOf, toExpression } from "../hooks/operators.ts";
import { bindings, endpoints, keys, params, requestFields } from "./registry.ts";
import { checkFlags } from "../hooks/regex_flags.ts";

const HINT = "expressions are computed per row by the engine: write them in `expr` or `pred`";

/** The value that represents an expression; its methods are the tests of the language. */
export class ExprValue {
  readonly [EXPRESSION]: Expression;

  constructor(expression: Expression) {
    this[EXPRESSION] = expression;
    Object.freeze(this);
  }

  in(values: unknown): ExprValue {
    return this.#membership(values, false);
  }
  notIn(values: unknown): ExprValue {
    return this.#membership(values, true);
  }
  isNull(): ExprValue {
    return new ExprValue({
      kind: "is_null",
      operand: this[EXPRESSION],
      negated: false,
      site: callSite(),
    });
  }
  isNotNull(): ExprValue {
    return new ExprValue({
      kind: "is_null",
      operand: this[EXPRESSION],
      negated: true,
      site: callSite(),
    });
  }
  matches(pattern: unknown): ExprValue {
    return match(this, pattern);
  }
  contains(part: unknown): ExprValue {
    return call("contains", [this, part]);
  }
  includes(part: unknown): ExprValue {
    return call("contains", [this, part]);
  }
  startsWith(prefix: unknown): ExprValue {
    return call("starts_with", [this, prefix]);
  }
  lower(): ExprValue {
    return call("lower", [this]);
  }
  toLowerCase(): ExprValue {
    return call("lower", [this]);
  }
  get length(): ExprValue {
    return call("length", [this]);
  }

  #membership(values: unknown, negated: boolean): ExprValue {
    const site = callSite();
    if (!Array.isArray(values)) throw new PlanError("wrong_type", "`in` needs a list", site);
    // Array.from also visits the holes of a sparse list.
    const items = Array.from(values, (item) => toExpression(item, site));
    return new ExprValue({ kind: "in", operand: this[EXPRESSION], items, negated, site });
  }

  [Symbol.toPrimitive](): never {
    throw new PlanError(
      "opaque_expression",
      `${describe(this[EXPRESSION])} has no value when the plan is built`,
      undefined,
      HINT,
    );
  }
  toString(): never {
    return this[Symbol.toPrimitive]();
  }
  valueOf(): never {
    return this[Symbol.toPrimitive]();
  }
  toJSON(): never {
    return this[Symbol.toPrimitive]();
  }
}

/** Names an expression as its author would. */
export function describe(expression: Expression): string {
  switch (expression.kind) {
    case "key":
      return `Key.${expression.name}`;
    case "param":
      return `P.${expression.name}`;
    case "request":
      return `Req.${expression.name}`;
    case "viewer":
      return `Viewer.${expression.name}`;
    default:
      return "An expression";
  }
}

export function wrap(expression: Expression): ExprValue {
  return new ExprValue(expression);
}

/** A call of a function of the language. */
export function call(name: string, operands: readonly unknown[]): ExprValue {
  const site = callSite();
  return wrap({
    kind: "call",
    name,
    operands: operands.map((operand) => toExpression(operand, site)),
    site,
  });
}

export function match(value: unknown, pattern: unknown): ExprValue {
  const site = callSite();
  if (!(pattern instanceof RegExp)) {
    throw new PlanError("wrong_type", "`matches` needs a regex: /…/", site);
  }
  checkFlags(pattern, site);
  const operand = toExpression(value, site);
  return wrap({ kind: "match", operand, source: pattern.source, flags: pattern.flags, site });
}

/** The name of the key that a value represents, with its place. */
export function keyOf(value: unknown): { name: string; site: Site } | undefined {
  const expression = expressionOf(value);
  return expression?.kind === "key" ? expression : undefined;
}

const TABLES: Readonly<Record<ReferenceTable, ReferenceInfo>> = {
  Key: { kind: "key", code: "unknown_key", what: "key", names: keys },
  P: { kind: "param", code: "unknown_name", what: "param", names: params },
  Req: {
    kind: "request",
    code: "unknown_request_field",
    what: "field of the request",
    names: requestFields,
  },
  Viewer: { kind: "viewer", code: "unknown_key", what: "field of the viewer", names: keys },
};

interface ReferenceInfo {
  readonly kind: "key" | "param" | "request" | "viewer";
  readonly code: string;
  readonly what: string;
  readonly names: { has(name: string): boolean; keys(): Iterable<string> };
}

/** `Key.name` and similar, written at `site`; a name that is not registered is accepted. */
export function reference(table: ReferenceTable, name: string, site: Site): ExprValue {
  return wrap({ kind: TABLES[table].kind, name, site });
}

function unknown(code: string, what: string, name: string, known: Iterable<string>): never {
  throw new PlanError(code, `Unknown ${what}: \`${name}\``, undefined, didYouMean(name, known));
}

/** The same where the compiler could not check the name: `Key[name]`. */
function lookUp(table: ReferenceTable, name: string): ExprValue {
  const { code, what, names } = TABLES[table];
  if (!names.has(name)) unknown(code, what, name, names.keys());
  return reference(table, name, callSite());
}

/** An object that looks up every property name; nothing can be added or listed. */
function table<T>(find: (name: string) => T): Record<string, T> {
  const refuse = (): never => {
    throw new PlanError("read_only", "The tables of names cannot be changed");
  };
  return new Proxy(Object.create(null) as Record<string, T>, {
    get: (_target, name) => (typeof name === "string" ? find(name) : undefined) as T,
    has: (_target, name) => typeof name === "string" && name in _target,
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
  });
}

export const Key = table((name) => lookUp("Key", name));
export const P = table((name) => lookUp("P", name));
export const Req = table((name) => lookUp("Req", name));
export const Viewer = table((name) => lookUp("Viewer", name));

/** An endpoint of the registry. */
export class EndpointValue {
  constructor(readonly name: string) {
    Object.freeze(this);
  }
}

const endpointKinds = new Set(bindings.endpoints.map((endpoint) => endpoint.kind));
export const EP = table((kind) => {
  if (!endpointKinds.has(kind)) {
    unknown("unknown_endpoint", "kind of endpoint", kind, endpointKinds);
  }
  return table((name) => {
    if (endpoints.get(name)?.kind !== kind) {
      unknown(
        "unknown_endpoint",
        "endpoint",
        name,
        bindings.endpoints.map((endpoint) => endpoint.name),
      );
    }
    return new EndpointValue(name);
  });
});
