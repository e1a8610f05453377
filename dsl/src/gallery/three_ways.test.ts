// Natural expressions, builder forms and callbacks give the same text, for the whole language.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compileExpressions, repository, type ValueKind } from "./plan_lab.ts";

/** The text, and how it is written naturally and in builder forms. */
const WAYS: readonly [kind: ValueKind, text: string, natural: string, form: string][] = [
  ["number", "likes + 1", "Key.likes + 1", "E.add(Key.likes, 1)"],
  ["number", "likes - views", "Key.likes - Key.views", "E.sub(Key.likes, Key.views)"],
  ["number", "likes * 2.5", "Key.likes * 2.5", "E.mul(E.key(Key.likes), 2.5)"],
  ["number", "likes / views", "Key.likes / Key.views", "E.div(Key.likes, Key.views)"],
  ["number", "likes % 3", "Key.likes % 3", "E.mod(Key.likes, 3)"],
  ["number", "-likes", "-Key.likes", "E.neg(Key.likes)"],
  ["number", "(likes + 1) * 2", "(Key.likes + 1) * 2", "E.mul(E.add(Key.likes, 1), 2)"],
  [
    "number",
    "likes - (views - 1)",
    "Key.likes - (Key.views - 1)",
    "E.sub(Key.likes, E.sub(Key.views, 1))",
  ],
  ["number", "score * 2.0", "Key.score * 2.0", "E.mul(Key.score, E.float(2))"],
  ["number", "$weight", "P.weight", "E.param(P.weight)"],
  ["number", "$req.limit", "Req.limit", "E.req(Req.limit)"],
  ["number", "viewer.age", "Viewer.age", "E.viewer(Viewer.age)"],
  [
    "number",
    "coalesce($weight, 0.5)",
    "coalesce(P.weight, 0.5)",
    "E.coalesce(P.weight, E.const(0.5))",
  ],
  ["number", "coalesce(likes, 0)", "Key.likes ?? 0", "E.coalesce(Key.likes, 0)"],
  ["number", "if(verified, 2, 1)", "Key.verified ? 2 : 1", "E.if(Pred.is(Key.verified), 2, 1)"],
  ["number", "min(likes, 5)", "Math.min(Key.likes, 5)", "E.min(Key.likes, 5)"],
  [
    "number",
    "max(likes, 5, views)",
    "Fn.max(Key.likes, 5, Key.views)",
    "E.max(Key.likes, 5, Key.views)",
  ],
  ["number", "clamp(score, 0, 1)", "Fn.clamp(Key.score, 0, 1)", "E.clamp(Key.score, 0, 1)"],
  ["number", "abs(score)", "Math.abs(Key.score)", "E.abs(Key.score)"],
  ["number", "floor(score)", "Fn.floor(Key.score)", "E.floor(Key.score)"],
  ["number", "ceil(score)", "Math.ceil(Key.score)", "E.ceil(Key.score)"],
  ["number", "round(score)", "Fn.round(Key.score)", "E.round(Key.score)"],
  ["number", "sqrt(likes)", "Fn.sqrt(Key.likes)", "E.sqrt(Key.likes)"],
  ["number", "exp(-score)", "Fn.exp(-Key.score)", "E.exp(E.neg(Key.score))"],
  ["number", "log(1 + likes)", "Math.log(1 + Key.likes)", "E.log(E.add(1, Key.likes))"],
  ["number", "pow(score, 2)", "Key.score ** 2", "E.pow(Key.score, 2)"],
  ["number", "sigmoid(score)", "Fn.sigmoid(Key.score)", "E.sigmoid(Key.score)"],
  ["number", "length(name)", "Key.name.length", "E.length(Key.name)"],
  ["number", "hash(id) % 100", "Fn.hash(Key.id) % 100", "E.mod(E.hash(Key.id), 100)"],
  ["number", "now() / 1000", "Fn.now() / 1000", "E.div(E.now(), 1000)"],
  ["text", "lower(name)", "Key.name.toLowerCase()", "E.lower(Key.name)"],
  [
    "text",
    'coalesce(name, "a\\"b\\\\")',
    'coalesce(Key.name, "a\\"b\\\\")',
    'E.coalesce(Key.name, "a\\"b\\\\")',
  ],
  ["bool", "likes == 1", "Key.likes === 1", 'Pred.cmp("==", Key.likes, 1)'],
  ["bool", "likes != views", "Key.likes != Key.views", 'Pred.cmp("!=", Key.likes, Key.views)'],
  ["bool", "likes < 1", "Key.likes < 1", 'Pred.cmp("<", Key.likes, 1)'],
  ["bool", "likes <= 1", "Key.likes <= 1", 'Pred.cmp("<=", Key.likes, 1)'],
  ["bool", "likes > 1", "Key.likes > 1", 'Pred.cmp(">", Key.likes, 1)'],
  ["bool", "likes >= 1", "Key.likes >= 1", 'Pred.cmp(">=", Key.likes, 1)'],
  ["bool", 'name < "m"', 'Key.name < "m"', 'Pred.cmp("<", Key.name, "m")'],
  [
    "bool",
    "verified and likes > 1",
    "Key.verified && Key.likes > 1",
    'Pred.and(Pred.is(Key.verified), Pred.cmp(">", Key.likes, 1))',
  ],
  [
    "bool",
    "verified or likes > 1 or true",
    "Key.verified || Key.likes > 1 || true",
    'Pred.or(Key.verified, Pred.cmp(">", Key.likes, 1), true)',
  ],
  ["bool", "not verified", "!Key.verified", "Pred.not(Key.verified)"],
  [
    "bool",
    "not (verified and likes > 1)",
    "!(Key.verified && Key.likes > 1)",
    'Pred.not(Pred.and(Key.verified, Pred.cmp(">", Key.likes, 1)))',
  ],
  [
    "bool",
    'country in ["NO", viewer.country]',
    'Key.country.in(["NO", Viewer.country])',
    'Pred.in(Key.country, ["NO", E.viewer(Viewer.country)])',
  ],
  ["bool", "likes not in [1, 2.5]", "Key.likes.notIn([1, 2.5])", "Pred.notIn(Key.likes, [1, 2.5])"],
  [
    "bool",
    "name ~ /^a\\/b$/i",
    "Key.name.matches(/^a\\/b$/i)",
    "Pred.matches(Key.name, /^a\\/b$/i)",
  ],
  ["bool", "name is null", "Key.name == null", "Pred.isNull(Key.name)"],
  ["bool", "name is not null", "Key.name !== null", "Pred.isNotNull(Key.name)"],
  ["bool", 'contains(name, "a")', 'Key.name.includes("a")', 'Pred.contains(Key.name, "a")'],
  [
    "bool",
    "starts_with(name, country)",
    "Key.name.startsWith(Key.country)",
    "Pred.startsWith(Key.name, Key.country)",
  ],
];

test("DSL2: each way becomes the same text, which the engine takes", () => {
  const texts = WAYS.map(([, text]) => text);
  for (const written of [
    WAYS.map(([kind, , natural]) => ({ kind, source: natural })),
    WAYS.map(([kind, , , form]) => ({ kind, source: form })),
    WAYS.map(([kind, , natural]) => ({
      kind,
      source: `(row) => ${natural.replaceAll("Key.", "row.")}`,
    })),
  ]) {
    assert.deepEqual(compileExpressions(written), texts);
  }
});

test("DSL2: these are all functions of the language", () => {
  const guide = readFileSync(`${repository}/docs/guides/expressions.md`, "utf8");
  const table = guide.split("## Functions")[1]!.split("```")[0]!;
  const functions = [...table.matchAll(/`([a-z_]+)\(/g)].map((found) => found[1]!);
  assert.ok(functions.length >= 20);
  const texts = WAYS.map(([, text]) => text).join("\n");
  for (const name of functions) assert.match(texts, new RegExp(`\\b${name}\\(`), name);
});
