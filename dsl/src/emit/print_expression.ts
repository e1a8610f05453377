import type { Expression } from "../exchange/expression.ts";
import type { Site } from "../exchange/site.ts";

/** The source of a part of an expression's text. */
export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly site: Site;
}

export interface PrintedExpression {
  readonly text: string;
  /** One segment for every part; inner parts come before the outer ones that contain them. */
  readonly segments: readonly Segment[];
}

/** How tightly a form binds, loosest first (docs/guides/expressions.md). */
const LEVEL = { or: 1, and: 2, not: 3, test: 4, sum: 5, product: 6, unary: 7, atom: 8 } as const;
const BINARY_LEVEL: Record<string, number> = {
  or: LEVEL.or, and: LEVEL.and, "==": LEVEL.test, "!=": LEVEL.test, "<": LEVEL.test,
  "<=": LEVEL.test, ">": LEVEL.test, ">=": LEVEL.test, "+": LEVEL.sum, "-": LEVEL.sum,
  "*": LEVEL.product, "/": LEVEL.product, "%": LEVEL.product,
};
/** Words that have another meaning, so that a key of that name must be quoted. */
const WORDS = new Set(["and", "or", "not", "in", "is", "null", "true", "false", "now", "viewer"]);

/** Escapes that JSON has and expressions do not. */
const ESCAPES: Record<string, string> = { "\\b": "\\u0008", "\\f": "\\u000c" };

/** Writes an expression in the engine's language, with no more parentheses than it needs. */
export function printExpression(expression: Expression): PrintedExpression {
  const printer = new Printer();
  printer.print(expression, 0);
  return { text: printer.text, segments: printer.segments };
}

/** The source of a character of the text: that of the innermost part which has one. */
export function siteAt(printed: PrintedExpression, offset: number): Site | undefined {
  return printed.segments.find(
    ({ start, end, site }) => site !== 0 && start <= offset && offset < end)?.site;
}

class Printer {
  text = "";
  readonly segments: Segment[] = [];

  /** Prints an expression where forms of this level and tighter ones need no parentheses. */
  print(expression: Expression, level: number): void {
    const start = this.text.length;
    const inner = levelOf(expression) < level;
    if (inner) this.text += "(";
    this.#printBare(expression);
    if (inner) this.text += ")";
    this.segments.push({ start, end: this.text.length, site: expression.site });
  }

  #printBare(expression: Expression): void {
    switch (expression.kind) {
      case "key":
        this.text += nameText(expression.name);
        break;
      case "param":
        this.text += `$${expression.name}`;
        break;
      case "request":
        this.text += `$req.${expression.name}`;
        break;
      case "viewer":
        this.text += `viewer.${expression.name}`;
        break;
      case "literal":
        this.text += literalText(expression.value, expression.text);
        break;
      case "binary": {
        const level = BINARY_LEVEL[expression.operator]!;
        // Comparisons do not chain; `a and (b and c)` is `a and b and c`.
        const associative = level <= LEVEL.and;
        this.print(expression.left, level === LEVEL.test ? level + 1 : level);
        this.text += ` ${expression.operator} `;
        this.print(expression.right, associative ? level : level + 1);
        break;
      }
      case "not":
        this.text += "not ";
        this.print(expression.operand, LEVEL.test);
        break;
      case "negate":
        this.text += "-";
        this.print(expression.operand, LEVEL.atom);
        break;
      case "in":
        this.print(expression.operand, LEVEL.sum);
        this.text += expression.negated ? " not in [" : " in [";
        this.#printList(expression.items);
        this.text += "]";
        break;
      case "match":
        this.print(expression.operand, LEVEL.sum);
        this.text += ` ~ ${regexText(expression.source)}${expression.flags}`;
        break;
      case "is_null":
        this.print(expression.operand, LEVEL.sum);
        this.text += expression.negated ? " is not null" : " is null";
        break;
      case "call":
        this.text += `${expression.name}(`;
        this.#printList(expression.operands);
        this.text += ")";
        break;
    }
  }

  #printList(items: readonly Expression[]): void {
    items.forEach((item, index) => {
      if (index > 0) this.text += ", ";
      this.print(item, 0);
    });
  }
}

function levelOf(expression: Expression): number {
  switch (expression.kind) {
    case "binary":
      return BINARY_LEVEL[expression.operator]!;
    case "not":
      return LEVEL.not;
    case "negate":
      return LEVEL.unary;
    case "in":
    case "match":
    case "is_null":
      return LEVEL.test;
    case "literal":
      return literalText(expression.value, expression.text).startsWith("-") ? LEVEL.unary : LEVEL.atom;
    default:
      return LEVEL.atom;
  }
}

function nameText(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !WORDS.has(name) ? name : `\`${name}\``;
}

function literalText(value: number | string | boolean | null, written?: string): string {
  if (typeof value === "string") {
    return JSON.stringify(value).replace(/\\./g, (escape) => ESCAPES[escape] ?? escape);
  }
  if (typeof value !== "number") return String(value);
  const text = (written ?? String(value)).toLowerCase().replace("e+", "e");
  // JavaScript allows `1.` and `1.e5`.
  return text.replace(/\.(?=e|$)/, ".0");
}

/** JavaScript escapes line ends and slashes in the source of a regex, so that it can be written
 * between slashes. */
function regexText(source: string): string {
  return `/${source}/`;
}
