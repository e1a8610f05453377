import type { Site } from "./site.ts";

export type BinaryOperator =
  | "or" | "and" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%";

/** One expression of the engine's language as data (docs/guides/expressions.md). Natural operators,
 * builder forms and callbacks all produce it inside the sandbox. The host prints it as text and
 * finds the source of any character of that text by `site`. */
export type Expression =
  | { kind: "key"; name: string; site: Site }
  | { kind: "param"; name: string; site: Site }
  | { kind: "request"; name: string; site: Site }
  | { kind: "viewer"; name: string; site: Site }
  /** `text` is how the number was written, where that matters: 1.0 is a float, 1 an int. */
  | { kind: "literal"; value: number | string | boolean | null; text?: string; site: Site }
  | { kind: "binary"; operator: BinaryOperator; left: Expression; right: Expression; site: Site }
  | { kind: "not"; operand: Expression; site: Site }
  | { kind: "negate"; operand: Expression; site: Site }
  | { kind: "in"; operand: Expression; items: Expression[]; negated: boolean; site: Site }
  | { kind: "match"; operand: Expression; source: string; flags: string; site: Site }
  | { kind: "is_null"; operand: Expression; negated: boolean; site: Site }
  | { kind: "call"; name: string; operands: Expression[]; site: Site };

/** Every value that represents an expression holds its tree under this symbol. */
export const EXPRESSION: unique symbol = Symbol.for("millrace.expression") as never;
