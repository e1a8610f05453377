// The expression language as functions: `E` and `Pred` for builder forms, `Fn` and `coalesce` for
// use with natural operators. All of them make expressions, so they can be mixed.
import type { BinaryOperator } from "../exchange/expression.ts";
import type { Site } from "../exchange/site.ts";
import { callSite, PlanError } from "../hooks/call_site.ts";
import { expressionOf, toExpression, WrittenNumber } from "../hooks/operators.ts";
import { call, describe, ExprValue, match, wrap } from "./values.ts";

type Form = (...operands: unknown[]) => ExprValue;

const COMPARISONS: readonly string[] = ["==", "!=", "<", "<=", ">", ">="];
/** How many operands a function takes: least and most; the second number is missing if there is no
 * maximum. */
const COUNTS: Readonly<Record<string, readonly [number, number?]>> = {
  coalesce: [1],
  if: [3, 3],
  min: [2],
  max: [2],
  clamp: [3, 3],
  abs: [1, 1],
  floor: [1, 1],
  ceil: [1, 1],
  round: [1, 1],
  sqrt: [1, 1],
  exp: [1, 1],
  log: [1, 1],
  pow: [2, 2],
  sigmoid: [1, 1],
  length: [1, 1],
  lower: [1, 1],
  contains: [2, 2],
  starts_with: [2, 2],
  hash: [1, 1],
  now: [0, 0],
};

function checkCount(name: string, count: number): void {
  const [least, most = Infinity] = COUNTS[name]!;
  if (count >= least && count <= most) return;
  throw new PlanError("bad_expression", `Wrong number of arguments for \`${name}\`: ${count}`);
}

/** Makes the form of a function by its name in the language. */
function form(name: string): Form {
  return (...operands) => {
    checkCount(name, operands.length);
    return call(name, operands);
  };
}

function binary(operator: BinaryOperator): Form {
  return (left, right) => {
    const site = callSite();
    return wrap({
      kind: "binary",
      operator,
      left: toExpression(left, site),
      right: toExpression(right, site),
      site,
    });
  };
}

function chain(operator: "and" | "or"): Form {
  return (...operands) => {
    const site = callSite();
    const [first, ...others] = operands.map((operand) => toExpression(operand, site));
    if (first === undefined) {
      throw new PlanError(
        "bad_expression",
        `Wrong number of arguments for \`${operator}\`: 0`,
        site,
      );
    }
    return wrap(
      others.reduce((left, right) => ({ kind: "binary", operator, left, right, site }), first),
    );
  };
}

function unary(kind: "not" | "negate"): Form {
  return (operand) => {
    const site = callSite();
    return wrap({ kind, operand: toExpression(operand, site), site });
  };
}

function nullTest(negated: boolean): Form {
  return (operand) => {
    const site = callSite();
    return wrap({ kind: "is_null", operand: toExpression(operand, site), negated, site });
  };
}

function membership(negated: boolean): Form {
  return (operand, values) => {
    const site = callSite();
    const value = wrap(toExpression(operand, site));
    return negated ? value.notIn(values) : value.in(values);
  };
}

/** Accepts only a value that represents a name of one kind. */
function named(kind: "key" | "param" | "request" | "viewer", example: string): Form {
  return (value) => {
    const found = expressionOf(value);
    if (found?.kind === kind) return wrap(found);
    const what = found === undefined ? String(typeof value) : describe(found);
    throw new PlanError("wrong_type", `Expected ${example}, found ${what}`);
  };
}

function constant(value: unknown): ExprValue {
  const expression = toExpression(value, callSite());
  if (expression.kind === "literal") return wrap(expression);
  throw new PlanError("wrong_type", `Expected a constant, found ${describe(expression)}`);
}

function floatText(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function float(value: unknown): ExprValue {
  const site: Site = callSite();
  const plain = value instanceof WrittenNumber ? value.value : value;
  if (typeof plain !== "number" || !Number.isFinite(plain)) {
    throw new PlanError("wrong_type", `Expected a finite number, found ${String(plain)}`, site);
  }
  return wrap({ kind: "literal", value: plain, text: floatText(plain), site });
}

function compare(operator: unknown, left: unknown, right: unknown): ExprValue {
  if (typeof operator !== "string" || !COMPARISONS.includes(operator)) {
    throw new PlanError(
      "bad_value",
      `Not a comparison: ${String(operator)}`,
      undefined,
      `one of ${COMPARISONS.join(" ")}`,
    );
  }
  return binary(operator as BinaryOperator)(left, right);
}

/** Functions that exist both as builder forms and in natural expressions, by their TypeScript
 * names. */
const FUNCTIONS = {
  coalesce: form("coalesce"),
  if: form("if"),
  min: form("min"),
  max: form("max"),
  clamp: form("clamp"),
  abs: form("abs"),
  floor: form("floor"),
  ceil: form("ceil"),
  round: form("round"),
  sqrt: form("sqrt"),
  exp: form("exp"),
  log: form("log"),
  pow: form("pow"),
  sigmoid: form("sigmoid"),
  length: form("length"),
  lower: form("lower"),
  hash: form("hash"),
  now: form("now"),
};
const CONDITIONS = {
  in: membership(false),
  notIn: membership(true),
  isNull: nullTest(false),
  isNotNull: nullTest(true),
  contains: form("contains"),
  startsWith: form("starts_with"),
  matches: (value: unknown, pattern: unknown) => match(value, pattern),
};

export const E = Object.freeze({
  key: named("key", "a key, as Key.score"),
  param: named("param", "a param, as P.weight"),
  req: named("request", "a field of the request, as Req.country"),
  viewer: named("viewer", "a field of the viewer, as Viewer.country"),
  const: constant,
  float,
  null: () => wrap({ kind: "literal", value: null, site: callSite() }),
  add: binary("+"),
  sub: binary("-"),
  mul: binary("*"),
  div: binary("/"),
  mod: binary("%"),
  neg: unary("negate"),
  ...FUNCTIONS,
});

export const Pred = Object.freeze({
  cmp: compare,
  and: chain("and"),
  or: chain("or"),
  not: unary("not"),
  is: (value: unknown) => wrap(toExpression(value, callSite())),
  ...CONDITIONS,
});

export const Fn = Object.freeze({ ...FUNCTIONS, ...CONDITIONS });
export const coalesce = FUNCTIONS.coalesce;
