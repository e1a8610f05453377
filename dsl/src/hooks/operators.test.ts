import assert from "node:assert/strict";
import { test } from "node:test";
import { EXPRESSION, type Expression } from "../exchange/expression.ts";
import { operators } from "./operators.ts";

const wrap = (expression: Expression) => ({ [EXPRESSION]: expression });
const tree = (value: unknown) => (value as { [EXPRESSION]: Expression })[EXPRESSION];
const score = wrap({ kind: "key", name: "score", site: 1 });
const on = operators(wrap);

test("an operator on plain values is JavaScript's", () => {
  assert.equal(on.binary("+", 5, 1, 2), 3);
  assert.equal(on.logic("and", 5, true, () => 7), 7);
});

test("an operator on a key is an expression", () => {
  assert.deepEqual(tree(on.binary("*", 5, score, 2)), {
    kind: "binary", operator: "*", site: 5,
    left: { kind: "key", name: "score", site: 1 },
    right: { kind: "literal", value: 2, site: 5 },
  });
});

test("comparison with null asks for null", () => {
  assert.equal(tree(on.binary("!==", 5, score, null)).kind, "is_null");
});

test("an undefined operand is an error with its place", () => {
  assert.throws(() => on.binary("+", 9, score, undefined), { code: "undefined_value", site: 9 });
});

test("an expression decides no statement", () => {
  assert.throws(() => on.decide(3, score, "if"), { code: "opaque_expression", site: 3 });
});
