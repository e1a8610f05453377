// Natural operators on expressions. The compiler replaces each operator in a plan's sources by one
// of these calls. If an operand represents an expression, so does the result; otherwise they do
// what JavaScript does.
import { EXPRESSION, type BinaryOperator, type Expression } from "../exchange/expression.ts";
import type { Site } from "../exchange/site.ts";
import { PlanError } from "./call_site.ts";

/** Makes the value that represents an expression in plans; provided by the runtime. */
export type Wrap = (expression: Expression) => unknown;

export function expressionOf(value: unknown): Expression | undefined {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  return (value as { [EXPRESSION]?: Expression })[EXPRESSION];
}

/** A number as it was written; the compiler makes it where the value alone would lose that. */
export class WrittenNumber {
  constructor(readonly text: string, readonly value: number) {}
}

/** The tree of a plain value or of a value that represents an expression. `what` names the value in
 * errors. */
export function toExpression(value: unknown, site: Site, what = "An operand"): Expression {
  const expression = expressionOf(value);
  if (expression !== undefined) return expression;
  if (value instanceof WrittenNumber) {
    return { kind: "literal", value: value.value, text: value.text, site };
  }
  switch (typeof value) {
    case "string":
    case "boolean":
      return { kind: "literal", value, site };
    case "bigint":
      return { kind: "literal", value: Number(value), text: String(value), site };
    case "number":
      return { kind: "literal", value: checkedNumber(value, site), site };
    case "undefined":
      throw new PlanError("undefined_value", `${what} is undefined`, site);
    default:
      if (value === null) return { kind: "literal", value, site };
      throw new PlanError("opaque_expression", `${describe(value)} cannot be part of an expression`, site);
  }
}

function checkedNumber(value: number, site: Site): number {
  if (!Number.isFinite(value)) {
    throw new PlanError("bad_number", `${value} is not a value of expressions`, site);
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 2 ** 64) {
    throw new PlanError("inexact_number", "A whole number beyond 2^53 is not exact in JavaScript",
      site, "write it as a literal in the expression itself, or as a bigint: 9223372036854775807n");
  }
  return value;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return "A list";
  if (typeof value === "function") return "A function";
  return typeof value === "symbol" ? "A symbol" : "An object";
}

function plain(value: unknown): unknown {
  return value instanceof WrittenNumber ? value.value : value;
}

type Javascript = (left: never, right: never) => unknown;
const JAVASCRIPT: Record<string, Javascript> = {
  "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b,
  "%": (a, b) => a % b, "**": (a, b) => a ** b, "<": (a, b) => a < b, "<=": (a, b) => a <= b,
  ">": (a, b) => a > b, ">=": (a, b) => a >= b, "==": (a, b) => a == b, "!=": (a, b) => a != b,
  "===": (a, b) => a === b, "!==": (a, b) => a !== b, "&": (a, b) => a & b, "|": (a, b) => a | b,
  "^": (a, b) => a ^ b, "<<": (a, b) => a << b, ">>": (a, b) => a >> b, ">>>": (a, b) => a >>> b,
  in: (a, b) => a in (b as object),
};
const ENGINE: Record<string, BinaryOperator> = {
  "+": "+", "-": "-", "*": "*", "/": "/", "%": "%", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
  "==": "==", "===": "==", "!=": "!=", "!==": "!=",
};

/** The functions that rewritten sources call, as they are named there. */
export function operators(wrap: Wrap) {
  const stands = (value: unknown): boolean => expressionOf(value) !== undefined;

  function binary(operator: string, site: Site, left: unknown, right: unknown): unknown {
    if (!stands(left) && !stands(right)) {
      return JAVASCRIPT[operator]!(plain(left) as never, plain(right) as never);
    }
    if (operator === "**") return call("pow", site, [left, right]);
    const engine = ENGINE[operator];
    if (engine === undefined) {
      throw new PlanError("opaque_expression", `Operator \`${operator}\` is none of expressions`, site,
        operator === "in" ? "write `Key.x.in([a, b])`" : undefined);
    }
    if (engine === "==" || engine === "!=") {
      const operand = right === null ? left : left === null ? right : undefined;
      if (operand !== undefined) {
        return wrap({ kind: "is_null", operand: toExpression(operand, site), negated: engine === "!=",
          site });
      }
    }
    return wrap({ kind: "binary", operator: engine, site,
      left: toExpression(left, site, `What is left of \`${operator}\``),
      right: toExpression(right, site, `What is right of \`${operator}\``) });
  }

  function call(name: string, site: Site, operands: unknown[]): unknown {
    return wrap({ kind: "call", name, operands: operands.map((value) => toExpression(value, site)),
      site });
  }

  function logic(operator: "and" | "or", site: Site, left: unknown, right: () => unknown): unknown {
    if (!stands(left)) {
      const decided = operator === "and" ? !left : Boolean(left);
      return decided ? left : right();
    }
    return wrap({ kind: "binary", operator, left: toExpression(left, site),
      right: toExpression(right(), site), site });
  }

  function choose(site: Site, condition: unknown, yes: () => unknown, no: () => unknown): unknown {
    if (!stands(condition)) return plain(condition) ? yes() : no();
    return call("if", site, [condition, yes(), no()]);
  }

  function nullish(site: Site, left: unknown, right: () => unknown): unknown {
    if (!stands(left)) return left ?? right();
    return call("coalesce", site, [left, right()]);
  }

  function not(site: Site, value: unknown): unknown {
    if (!stands(value)) return !plain(value);
    return wrap({ kind: "not", operand: toExpression(value, site), site });
  }

  function negate(site: Site, value: unknown): unknown {
    if (value instanceof WrittenNumber) return -value.value;
    if (!stands(value)) return -(value as number);
    return wrap({ kind: "negate", operand: toExpression(value, site), site });
  }

  /** Fails for an expression where JavaScript needs the value now, because only the engine knows
   * it, per row. */
  function decide(site: Site, value: unknown, what: string): unknown {
    if (!stands(value)) return plain(value);
    throw new PlanError("opaque_expression",
      `An expression has no value when the plan is built, but ${what}`, site,
      what === "a text is made of it"
        ? "expressions are computed per row by the engine, which does not join texts; " +
          "compare with `==`, `Fn.contains` or `Fn.startsWith`"
        : "expressions are computed per row by the engine; `cond ? a : b` inside one chooses per row");
  }

  return { binary, logic, choose, nullish, not, negate, decide, call };
}
