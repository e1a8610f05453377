import "./shipped_bindings.ts";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import ts from "typescript";
import { EXPRESSION, type Expression } from "../exchange/expression.ts";
import { coalesce, E, Fn, Key, P, Pred, Req, Viewer } from "./index.ts";

const root = `${process.cwd()}/..`;
const tree = (value: unknown): Expression => (value as { [EXPRESSION]: Expression })[EXPRESSION];
const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());

/** The rows of a Markdown section's first table. */
function tableOf(section: string): string[] {
  const guide = readFileSync(`${root}/docs/guides/expressions.md`, "utf8");
  const text = guide.split(`## ${section}`)[1]!.split("\n## ")[0]!;
  return text
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split(" | ")[0]!);
}

/** Operators of the language by the forms that make them. */
const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  or: ["Pred.or"],
  and: ["Pred.and"],
  not: ["Pred.not"],
  "==": ["Pred.cmp"],
  "!=": ["Pred.cmp"],
  "<": ["Pred.cmp"],
  "<=": ["Pred.cmp"],
  ">": ["Pred.cmp"],
  ">=": ["Pred.cmp"],
  in: ["Pred.in", "Pred.notIn", "Fn.in", "Fn.notIn"],
  "~": ["Pred.matches", "Fn.matches"],
  is: ["Pred.isNull", "Pred.isNotNull", "Fn.isNull", "Fn.isNotNull"],
  "+": ["E.add"],
  "-": ["E.sub", "E.neg"],
  "*": ["E.mul"],
  "/": ["E.div"],
  "%": ["E.mod"],
};

function has(path: string): boolean {
  const [table, name] = path.split(".") as [string, string];
  return name in ({ E, Pred, Fn } as Record<string, object>)[table]!;
}

test("DSL2 EXP2: every function of the guide is a form and a natural function", () => {
  const names = tableOf("Functions").flatMap((cell) =>
    [...cell.matchAll(/`([a-z_]+)\(/g)].map((found) => found[1]!),
  );
  assert.ok(names.length >= 20, names.join());
  for (const name of names) {
    assert.ok(has(`E.${camel(name)}`) || has(`Pred.${camel(name)}`), `no builder form of ${name}`);
    assert.ok(has(`Fn.${camel(name)}`), `no natural function of ${name}`);
  }
});

test("EXP2: every function of the engine is in the guide's table", () => {
  const source = readFileSync(`${root}/engine/expr/syntax/function_table.cpp`, "utf8");
  const engine = [...source.matchAll(/\{Function::k\w+,\s*"([a-z_]+)"/g)].map((found) => found[1]!);
  const guide = tableOf("Functions").join(" ");
  assert.ok(engine.length >= 20);
  for (const name of engine) assert.ok(guide.includes(`\`${name}(`), name);
});

test("DSL2 EXP1: every operator of the guide has its forms", () => {
  const cells = tableOf("Operators, loosest first");
  const words = cells.flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`/g)].flatMap((found) => found[1]!.split(" ")),
  );
  const operators = new Set(
    words.filter(
      (word) => /^([a-z]+|[=!<>+\-*/%~]+)$/.test(word) && !["null", "=", "a", "b"].includes(word),
    ),
  );
  assert.ok(operators.size >= 16, [...operators].join());
  for (const operator of operators) {
    const forms = OPERATORS[operator];
    assert.ok(forms, `no builder form of ${operator}`);
    for (const form of forms) assert.ok(has(form), form);
  }
});

test("the declared forms are those that exist", () => {
  const file = ts.createSourceFile(
    "expressions.d.ts",
    readFileSync("types/expressions.d.ts", "utf8"),
    ts.ScriptTarget.ES2022,
  );
  const declared = new Map<string, string[]>();
  const visit = (node: ts.Node): void => {
    if (ts.isInterfaceDeclaration(node)) {
      declared.set(
        node.name.text,
        node.members
          .flatMap((member) => (member.name ? [(member.name as ts.Identifier).text] : []))
          .sort(),
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  assert.deepEqual(declared.get("ValueForms"), Object.keys(E).sort());
  assert.deepEqual(declared.get("ConditionForms"), Object.keys(Pred).sort());
  assert.deepEqual(declared.get("NaturalFunctions"), Object.keys(Fn).sort());
});

test("forms make trees", () => {
  const { kind, ...compared } = tree(Pred.cmp(">=", E.key(Key.score), E.const(0.5)));
  assert.equal(kind, "binary");
  assert.deepEqual(compared, {
    operator: ">=",
    site: 0,
    left: { kind: "key", name: "score", site: 0 },
    right: { kind: "literal", value: 0.5, site: 0 },
  });
  assert.equal(tree(coalesce(P.weight, 0.5)).kind, "call");
  assert.deepEqual(tree(E.float(2)), { kind: "literal", value: 2, text: "2.0", site: 0 });
  assert.deepEqual(tree(E.req(Req.country)), { kind: "request", name: "country", site: 0 });
  assert.deepEqual(tree(E.viewer(Viewer.country)), { kind: "viewer", name: "country", site: 0 });
  assert.equal(
    (tree(Pred.and(Pred.is(Key.verified), true, false)) as { operator?: string }).operator,
    "and",
  );
});

test("what a form cannot take is an error", () => {
  assert.throws(() => E.key(P.weight), {
    code: "wrong_type",
    message: /Key\.score, found P\.weight/,
  });
  assert.throws(() => E.const(undefined), { code: "undefined_value" });
  assert.throws(() => E.const(Key.score), { code: "wrong_type" });
  assert.throws(() => E.add(Key.score, undefined), { code: "undefined_value" });
  assert.throws(() => E.const(NaN), { code: "bad_number" });
  assert.throws(() => E.float("1"), { code: "wrong_type" });
  assert.throws(() => Pred.cmp("===", 1, 1), { code: "bad_value" });
  assert.throws(() => Pred.in(Key.country, "NO"), { code: "wrong_type" });
  assert.throws(() => Pred.in(Key.country, [, "NO"]), { code: "undefined_value" });
  assert.throws(() => Pred.matches(Key.name, "x"), { code: "wrong_type" });
  assert.throws(() => Fn.clamp(Key.score, 0), { code: "bad_expression" });
  assert.throws(() => Pred.or(), { code: "bad_expression" });
});

test("DSL4: a key has no value while the plan is built", () => {
  assert.throws(() => Number(Key.score), {
    code: "opaque_expression",
    message: /Key\.score has no value/,
  });
  assert.throws(() => `${String(Key.score)}`, { code: "opaque_expression" });
  assert.throws(() => JSON.stringify({ a: Key.score }), { code: "opaque_expression" });
  assert.throws(() => (Key.score as unknown as number) * 2, { code: "opaque_expression" });
});

test("unknown names are errors with the nearest known one", () => {
  assert.throws(() => Key.scroe, { code: "unknown_key", hint: "did you mean `score`?" });
  assert.throws(() => P.wieght, { code: "unknown_name", hint: "did you mean `weight`?" });
  assert.throws(() => Req.cuntry, { code: "unknown_request_field" });
  assert.throws(
    () => {
      Key.score = 1 as never;
    },
    { code: "read_only" },
  );
});

test("values can be tested by their methods", () => {
  assert.equal(tree(Key.country!.in(["NO", Viewer.country])).kind, "in");
  assert.equal((tree(Key.country!.notIn([])) as { negated: boolean }).negated, true);
  assert.deepEqual(tree(Key.name!.matches(/^a\/b/i)), {
    kind: "match",
    operand: { kind: "key", name: "name", site: 0 },
    source: "^a\\/b",
    flags: "i",
    site: 0,
  });
  assert.equal((tree(Key.name!.length) as { name: string }).name, "length");
  assert.equal((tree(Key.name!.includes("a")) as { name: string }).name, "contains");
  assert.equal((tree(Key.name!.toLowerCase()) as { name: string }).name, "lower");
  assert.equal(tree(Key.age!.isNotNull()).kind, "is_null");
});
