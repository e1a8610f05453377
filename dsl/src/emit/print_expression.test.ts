import assert from "node:assert/strict";
import { test } from "node:test";
import type { BinaryOperator, Expression } from "../exchange/expression.ts";
import { printExpression, siteAt } from "./print_expression.ts";

let site = 0;
const key = (name: string): Expression => ({ kind: "key", name, site: ++site });
const lit = (value: number | string | boolean | null, text?: string): Expression =>
  ({ kind: "literal", value, site: ++site, ...(text !== undefined && { text }) });
const bin = (operator: BinaryOperator, left: Expression, right: Expression): Expression =>
  ({ kind: "binary", operator, left, right, site: ++site });
const not = (operand: Expression): Expression => ({ kind: "not", operand, site: ++site });
const negate = (operand: Expression): Expression => ({ kind: "negate", operand, site: ++site });
const text = (expression: Expression): string => printExpression(expression).text;
const [a, b, c] = [key("a"), key("b"), key("c")];

test("parentheses only where they are needed", () => {
  assert.equal(text(bin("*", bin("+", a, b), c)), "(a + b) * c");
  assert.equal(text(bin("+", a, bin("*", b, c))), "a + b * c");
  assert.equal(text(bin("-", a, bin("-", b, c))), "a - (b - c)");
  assert.equal(text(bin("-", bin("-", a, b), c)), "a - b - c");
  assert.equal(text(bin("or", bin("and", a, b), c)), "a and b or c");
  assert.equal(text(bin("and", bin("or", a, b), c)), "(a or b) and c");
  assert.equal(text(bin("and", a, bin("and", b, c))), "a and b and c");
});

test("comparisons do not chain", () => {
  assert.equal(text(bin("==", bin("<", a, b), c)), "(a < b) == c");
  assert.equal(text(bin("==", a, bin("<", b, c))), "a == (b < c)");
});

test("not and minus", () => {
  assert.equal(text(not(bin(">", a, b))), "not a > b");
  assert.equal(text(not(not(a))), "not (not a)");
  assert.equal(text(bin("==", not(a), b)), "(not a) == b");
  assert.equal(text(not(bin("and", a, b))), "not (a and b)");
  assert.equal(text(negate(negate(a))), "-(-a)");
  assert.equal(text(negate(bin("+", a, b))), "-(a + b)");
  assert.equal(text(bin("-", a, lit(-5))), "a - -5");
  assert.equal(text(negate(lit(-5))), "-(-5)");
});

test("tests", () => {
  assert.equal(text({ kind: "in", operand: bin("+", a, b), items: [lit(1), lit("x")], negated: true, site }),
    'a + b not in [1, "x"]');
  assert.equal(text({ kind: "match", operand: a, source: "a\\/b$", flags: "i", site }), "a ~ /a\\/b$/i");
  assert.equal(text({ kind: "is_null", operand: bin("<", a, b), negated: true, site }), "(a < b) is not null");
  assert.equal(text({ kind: "call", name: "coalesce", operands: [a, bin("or", b, c)], site }),
    "coalesce(a, b or c)");
});

test("literals", () => {
  assert.equal(text(lit(0.5)), "0.5");
  assert.equal(text(lit(1, "1.0")), "1.0");
  assert.equal(text(lit(1, "1.")), "1.0");
  assert.equal(text(lit(1e21)), "1e21");
  assert.equal(text(lit(100, "1E2")), "1e2");
  assert.equal(text(lit('say "hi"\n\b')), '"say \\"hi\\"\\n\\u0008"');
  assert.equal(text(lit("a\\b")), '"a\\\\b"');
  assert.equal(text(lit(null)), "null");
});

test("names that are no plain words are quoted", () => {
  assert.equal(text(key("odd name")), "`odd name`");
  assert.equal(text(key("in")), "`in`");
  assert.equal(text({ kind: "request", name: "page", site }), "$req.page");
  assert.equal(text({ kind: "viewer", name: "age", site }), "viewer.age");
});

test("every character leads to the innermost part it belongs to", () => {
  const product = bin("*", b, c);
  const sum = bin("+", a, product);
  const printed = printExpression(sum);
  const at = (part: string) => siteAt(printed, printed.text.indexOf(part));
  assert.deepEqual([at("a"), at("b"), at("*"), at("+")], [a.site, b.site, product.site, sum.site]);
});
