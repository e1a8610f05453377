import assert from "node:assert/strict";
import { test } from "node:test";
import { readResult } from "./read_result.ts";

const NODE = { index: 0, op: "viewer", inputs: [], params: {}, options: {}, site: 1, calls: [] };
const PLAN = { name: "p", site: 1, nodes: [NODE], outputs: [0] };

/** The correct plan with one node changed. */
const withNode = (change: object) => ({ plan: { ...PLAN, nodes: [{ ...NODE, ...change }] } });
const withExpression = (expression: unknown) => withNode({ params: { expr: { expression, site: 1 } } });

test("a sound result is read", () => {
  assert.deepEqual(readResult(JSON.stringify({ plan: PLAN })), { plan: PLAN });
  const errors = [{ code: "x", message: "no", site: 3, hint: "yes" }];
  assert.deepEqual(readResult(JSON.stringify({ errors })), { errors });
});

const FORGED: readonly [what: string, value: unknown][] = [
  ["no object", 1], ["null", null], ["nothing", {}], ["no errors", { errors: [] }],
  ["an error that is none", { errors: ["x"] }],
  ["a thrown thing without a stack", { thrown: { name: "x", message: "y" } }],
  ["an output that is not there", { plan: { ...PLAN, outputs: [1] } }],
  ["an output of no kind", { plan: { ...PLAN, outputs: ["0"] } }],
  ["nodes of no kind", { plan: { ...PLAN, nodes: {} } }],
  ["a node in the wrong place", withNode({ index: 1 })],
  ["an input that is not there", withNode({ inputs: [7] })],
  ["an input of no kind", withNode({ inputs: [{ file: "x" }] })],
  ["a param of no kind", withNode({ params: { a: 1 } })],
  ["a param that is a node that is not there", withNode({ params: { rhs: { node: 4, site: 1 } } })],
  ["a place of no kind", withNode({ site: -1 })],
  ["a fraction for a place", withNode({ site: 0.5 })],
  ["an expression of no kind", withExpression({ kind: "eval", site: 1 })],
  ["an operator that is none", withExpression({ kind: "binary", operator: "; drop", site: 1,
    left: { kind: "key", name: "a", site: 1 }, right: { kind: "key", name: "b", site: 1 } })],
  ["a number written as something else", withExpression({ kind: "literal", value: 1, text: "1) or (true", site: 1 })],
  ["an operand that is missing", withExpression({ kind: "not", site: 1 })],
];

for (const [what, value] of FORGED) {
  test(`not believed: ${what}`, () => assert.equal(readResult(JSON.stringify(value)), undefined));
}

test("what is no JSON is not believed", () => {
  assert.equal(readResult(""), undefined);
  assert.equal(readResult("{"), undefined);
});
