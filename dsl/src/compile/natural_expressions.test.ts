import assert from "node:assert/strict";
import { after, test } from "node:test";
import { PlanFixture } from "./plan_fixture.ts";

const lab = new PlanFixture();
after(() => lab.close());

const CASES: readonly [source: string, text: string, before?: string][] = [
  ["Key.id * coalesce(P.weight, 0.5)", "id * coalesce($weight, 0.5)"],
  ['Key.age >= 0.5 && Key.country.in(["US", "CA"])', 'age >= 0.5 and country in ["US", "CA"]'],
  ["(Key.id + 1) * 2 - Key.id / 3 % 4", "(id + 1) * 2 - id / 3 % 4"],
  ["!(Key.id > 5) || Key.id === 7", "not id > 5 or id == 7"],
  ["-Key.id", "-id"],
  ["Key.id !== null ? Key.id : 0", "if(id is not null, id, 0)"],
  ["Key.age ?? 1.0", "coalesce(age, 1.0)"],
  ["Key.id ** 2", "pow(id, 2)"],
  ["Math.max(Key.id, 2.0) + Math.max(1, 2)", "max(id, 2.0) + 2"],
  ["/^a.b$/i.test(Key.country)", "country ~ /^a.b$/i"],
  ["9007199254740993 + Key.id", "9007199254740993 + id"],
  ["Key.id * 1e3", "id * 1e3"],
  ["Key.id * 1_000.50", "id * 1000.50"],
  ["Key.id + 9223372036854775807n", "id + 9223372036854775807"],
  ['Key["id"] + 1', "id + 1"],
  ["Pred.and(Key.id > 1, Pred.cmp('<', E.key(Key.id), E.const(5)))", "id > 1 and id < 5"],
];

for (const [source, text] of CASES) {
  test(`expression ${source}`, async () => assert.equal(await lab.expression(source), text));
}

const THROUGH_CODE: readonly [what: string, source: string, text: string, before: string][] = [
  ["a const binding", "boosted + 1", "id * 2 + 1", "const boosted = Key.id * 2;"],
  ["a helper function", "double(Key.id) + double(3)", "id * 2 + 6", "const double = (x) => x * 2;"],
  ["a written float through a const", "Key.id * W", "id * 2.0", "const W = 2.0;"],
  ["a variable that changes", "sum()", "id + id * 2 + id * 3",
    "function sum() { let s = Key.id; for (const f of [2, 3]) s += Key.id * f; return s; }"],
  ["a list", "[1, 2].map((f) => Key.id * f).reduce((a, b) => a + b)", "id * 1 + id * 2", ""],
  ["an object", "rules.fresh", "id > 3", "const rules = { fresh: Key.id > 3 };"],
  ["a plain condition beside", "strict && Key.id > 1", "id > 1", "const strict = true;"],
  ["a plain choice", "strict ? Key.id : 0", "id", "const strict = true;"],
  ["a callback", "(row) => row.id * 2", "id * 2", ""],
  ["a callback with a helper", "(row) => half(row.id)", "id / 2", "const half = (x) => x / 2;"],
  ["a generic helper with types", "twice<number>(Key.id)", "id + id",
    "function twice<T extends number>(x: T): number { return (x as number) + x; }"],
];

for (const [what, source, text, before] of THROUGH_CODE) {
  test(`an expression through ${what}`, async () => {
    assert.equal(await lab.expression(source, before), text);
  });
}

const OPAQUE: readonly [source: string, message: RegExp][] = [
  ["Math.round(Key.id)", /Math.round is not a function of expressions/],
  ["Math.trunc(Key.id)", /Math.trunc is not a function of expressions/],
  ["Key.id | 1", /Operator `\|` is none of expressions/],
  ["Key.id in [1]", /Operator `in` is none of expressions/],
  ["`${Key.id}`", /no value when the plan is built, but a text is made of it/],
  ["/x/gu.test(Key.name)", /The engine has no regex flag `gu`: \/x\/gu/],
  ["Number(Key.id)", /Key\.id/],
  ["Key.id + undefined", /What is right of `\+` is undefined/],
  ["Key.id + NaN", /NaN is not a value/],
  ["Key.id + [1]", /A list cannot be part of an expression/],
  ["Key.id * 2 ** 60", /beyond 2\^53/],
];

const HINTS: readonly [source: string, hint: RegExp][] = [
  ["`${Key.id}`", /does not join texts/],
  ["/x/g.test(Key.name)", /the flags are i, m and s/],
  ["Key.age > Math.random()", /`sample` picks rows by chance/],
  ["Key.age > Date.now()", /`Fn\.now\(\)` is the time of a request/],
];

for (const [source, hint] of HINTS) {
  test(`a hint says what to use instead: ${source}`, async () => {
    const plan = await lab.build(
      `return ctx.viewer({ endpoint: EP.redis.redis_default }).filter({ pred: ${source} });`);
    assert.match(plan.problems[0]?.hint ?? "none", hint);
  });
}

for (const [source, message] of OPAQUE) {
  test(`what cannot be seen is an error: ${source}`, async () => {
    assert.match(await lab.expression(source), message);
  });
}
