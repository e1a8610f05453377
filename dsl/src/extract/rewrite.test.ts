import assert from "node:assert/strict";
import { test } from "node:test";
import { knownNames } from "./names.ts";
import { rewrite } from "./rewrite.ts";
import { SiteTable } from "./site_table.ts";
import { SourceText } from "./source_text.ts";

const names = knownNames({
  keys: ["id", "score", "country"].map((name) => ({
    name, type: "float", nullable: true, allow_write: true, lifecycle: "active" })),
  params: [{ name: "weight", type: "float", nullable: true, allow_write: false, lifecycle: "active" }],
  endpoints: [{ name: "redis_default", kind: "redis", lifecycle: "active" }],
  tasks: [{
    op: "vm", method: "vm", aliases: [], inputs_min: 1, inputs_max: 1, columns: "first_input",
    reads: [], writes: [], writes_on_demand: false, keys_param: "",
    params: [{ name: "expr", property: "expr", type: "expr", required: true }],
  }],
});

function code(text: string): string {
  const { output, problems } = rewrite(new SourceText("a.plan.ts", text), names, new SiteTable());
  assert.deepEqual(problems, []);
  return output.code.replace(/\b\d+, (?=__|[a-z"(]|\.)/g, "").replace(/(?<=_end\()\d+/g, "");
}

function problem(text: string): string {
  const { problems } = rewrite(new SourceText("a.plan.ts", text), names, new SiteTable());
  assert.equal(problems.length, 1, JSON.stringify(problems));
  const { span, code, message, hint } = problems[0]!;
  return `${span!.join(" ")} ${code}: ${message}${hint ? `; ${hint}` : ""}`;
}

test("operators become calls that keep their order", () => {
  assert.equal(code("a + b * c"), '__mr_bin("+", a , __mr_bin("*", b , c))'.replace(/ , /g, " ,  "));
});

test("the right side of && waits until it is needed", () => {
  assert.equal(code("a&&b"), '__mr_logic("and", a, () => (b))');
  assert.equal(code("a??b"), "__mr_nullish(a, () => (b))");
  assert.equal(code("a?b:c"), "__mr_if(a, () => (b), () => (c))");
});

test("a changed variable is computed, not added to", () => {
  assert.equal(code("a+=b"), 'a = __mr_bin("+", a, b)');
});

test("calls note their place last thing before they happen", () => {
  assert.equal(code("f()"), "f(...__mr_end())");
  assert.equal(code("f(a,b)"), "f(a,__mr_at(b))");
  assert.equal(code("f(...a)"), "f(...a, ...__mr_end())");
});

test("ambient keys know their place, local names are left alone", () => {
  assert.equal(code("Key.score"), '__mr_ref("Key", "score", 1)');
  assert.equal(code('Key["score"]'), '__mr_ref("Key", "score", 1)');
  assert.equal(code("(Key:any)=>Key.score"), "(Key:any)=>Key.score");
});

test("numbers keep how they are written where the value would lose it", () => {
  assert.equal(code("a*1.0"), '__mr_bin("*", a, __mr_num("1.0", 1.0))');
  assert.equal(code("a*0.5"), '__mr_bin("*", a, 0.5)');
  assert.equal(code("const w=2.0;a*w"), 'const w=2.0;__mr_bin("*", a, __mr_num("2.0", w))');
  assert.equal(code("coalesce(a,-1e3)"), 'coalesce(a,__mr_at(__mr_num("-1e3", -1e3)))');
});

test("a number is left alone where it cannot be part of an expression", () => {
  assert.equal(code("g(1.0)"), "g(__mr_at(1, 1.0))");
  assert.equal(code("const o={expr:1.0}"), "const o={expr:1.0}");
  assert.match(code("v.vm({expr:1.0})"), /expr:__mr_num\("1\.0", 1\.0\)/);
});

test("asking for a private field is left alone", () => {
  const text = "class A { #x; has(o: object) { return #x in o; } }";
  assert.equal(code(text), text);
});

test("a node is named after the constant it is bound to", () => {
  assert.equal(code("const v=f(1)"), 'const v=__mr_name("v", () => (f(__mr_at(1, 1))))');
  assert.equal(code("const v=1"), "const v=1");
});

test("statements ask for a value, not for an expression", () => {
  assert.match(code("if(a){}"), /^if\(__mr_decide\(a, /);
  assert.match(code("`${a}`"), /^`\$\{__mr_decide\(a, /);
});

test("types are left alone", () => {
  const text = "type A = { b: Key['x'] }; enum E { A = 1 + 2 }; let x: typeof y;";
  assert.equal(code(text), text);
});

test("lines stay where they are", () => {
  const text = "a // first\n  && // second\n  !b\n? Key\n .score\n: Math\n.max(c,\nd)";
  const { output } = rewrite(new SourceText("a.ts", text), names, new SiteTable());
  assert.equal(output.code.split("\n").length, text.split("\n").length);
});

test("a place in the rewritten text leads to the original one", () => {
  const text = "const v = a + bcd;";
  const { output } = rewrite(new SourceText("a.ts", text), names, new SiteTable());
  assert.equal(output.original(output.code.indexOf("bcd") + 1), text.indexOf("bcd") + 1);
  assert.equal(output.original(output.code.indexOf("__mr_bin") + 3), text.indexOf("a +"));
});

test("unknown names are reported where they are written", () => {
  assert.equal(problem("x;\n  Key.scroe"), "2 7 2 12 unknown_key: Unknown key: `scroe`; did you mean `score`?");
  assert.equal(problem("P.wight"), "1 3 1 8 unknown_name: Unknown param: `wight`; did you mean `weight`?");
  assert.equal(problem("EP.redis.redis_defalt"),
    "1 10 1 22 unknown_endpoint: Unknown endpoint: `redis_defalt`; did you mean `redis_default`?");
  assert.equal(problem("EP.reddis.x"),
    "1 4 1 10 unknown_endpoint: No endpoint is of the kind `reddis`; did you mean `redis`?");
});

test("what is not TypeScript is reported with its place", () => {
  assert.equal(problem("let a = ;"), "1 9 1 10 syntax: Expression expected.");
});

test("modules cannot be loaded while a plan runs", () => {
  assert.match(problem("import('fs')"), /^1 1 1 13 bad_import/);
});
