// All functions that rewritten sources call, as globals of the sandbox.
import { NODE, type DraftNode } from "../exchange/draft.ts";
import type { Expression } from "../exchange/expression.ts";
import type { Site } from "../exchange/site.ts";
import { at, atEnd, PlanError } from "./call_site.ts";
import { expressionOf, operators, toExpression, WrittenNumber } from "./operators.ts";
import { checkFlags } from "./regex_flags.ts";

export type ReferenceTable = "Key" | "P" | "Req" | "Viewer";

/** Functions of the runtime that the hooks need to make its values. */
export interface RuntimeParts {
  /** Makes the value that represents an expression in plans. */
  wrap(expression: Expression): unknown;
  /** `Key.name`, `P.name`, `Req.name` or `Viewer.name`, written at `site`. A name that is not
   * registered has been reported already and is accepted. */
  reference(table: ReferenceTable, name: string, site: Site): unknown;
  /** How many nodes the plan has so far. */
  nodeCount(): number;
}

const MATH: Record<string, string> = {
  min: "min", max: "max", abs: "abs", floor: "floor", ceil: "ceil", sqrt: "sqrt", exp: "exp",
  log: "log", pow: "pow",
};

function math(parts: RuntimeParts, name: string, site: Site, values: unknown[]): unknown {
  const plain = values.map((value) => (value instanceof WrittenNumber ? value.value : value));
  if (!values.some((value) => expressionOf(value) !== undefined)) {
    return (Math as never as Record<string, (...all: unknown[]) => unknown>)[name]!(...plain);
  }
  const engine = MATH[name];
  if (engine === undefined) {
    const hint = name === "round" ? "round(x) takes halves away from zero, Math.round does not"
      : "functions of expressions are listed in docs/guides/expressions.md";
    throw new PlanError("opaque_expression", `Math.${name} is not a function of expressions`, site, hint);
  }
  return parts.wrap({ kind: "call", name: engine, site,
    operands: values.map((value) => toExpression(value, site)) });
}

function test(parts: RuntimeParts, site: Site, regex: RegExp, value: unknown): unknown {
  const operand = expressionOf(value);
  if (operand === undefined) return regex.test(value as string);
  checkFlags(regex, site);
  return parts.wrap({ kind: "match", operand, source: regex.source, flags: regex.flags, site });
}

function named(parts: RuntimeParts, name: string, make: () => unknown): unknown {
  const before = parts.nodeCount();
  const value = make();
  const node = (value as { [NODE]?: DraftNode } | null | undefined)?.[NODE];
  // A node that existed before keeps its name: `const same = pick(a, b)` renames nothing.
  if (node !== undefined && node.index >= before) node.name = name;
  return value;
}

/** Defines the hooks. Call once, before the plan's own code runs. */
export function installHooks(parts: RuntimeParts): void {
  const on = operators((expression) => parts.wrap(expression));
  const hooks = {
    __mr_at: at,
    __mr_end: atEnd,
    __mr_bin: on.binary,
    __mr_logic: on.logic,
    __mr_if: on.choose,
    __mr_nullish: on.nullish,
    __mr_not: on.not,
    __mr_neg: on.negate,
    __mr_decide: on.decide,
    __mr_num: (text: string, value: number) => new WrittenNumber(text, value),
    __mr_math: (name: string, site: Site, ...values: unknown[]) => math(parts, name, site, values),
    __mr_test: (site: Site, regex: RegExp, value: unknown) => test(parts, site, regex, value),
    __mr_name: (name: string, make: () => unknown) => named(parts, name, make),
    __mr_ref: (table: ReferenceTable, name: string, site: Site) => parts.reference(table, name, site),
  };
  for (const [name, value] of Object.entries(hooks)) {
    Object.defineProperty(globalThis, name, { value, writable: false, configurable: false });
  }
}
